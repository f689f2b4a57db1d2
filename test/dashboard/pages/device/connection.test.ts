import { findCause, findShownStatus, shownStates } from "@edp/dashboard/pages/device/connection"
import type { DeviceConnection } from "@edp/domain/dashboard/DeviceConnection"
import { describe, expect, test } from "vitest"

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString()
type Read = Pick<DeviceConnection, "onlineStatus" | "lastOnlineAt">
const read: Read = { onlineStatus: "online", lastOnlineAt: at(0) }
const account: NonNullable<DeviceConnection["account"]> = {
  id: "c1",
  manufacturer: "simulator",
  name: "Home",
  status: "connected",
  lastError: null,
  failures: 0,
  disconnectedAt: null,
  isWorking: false,
  nextAttemptAt: at(6),
  pausedUntil: null
}
const connected: DeviceConnection = {
  onlineStatus: "online",
  lastOnlineAt: at(0),
  onlineUntil: at(15),
  isUnreachable: false,
  disconnectedAt: null,
  isDirect: false,
  account,
  asOf: at(5)
}
const failing = (failure: string, minute = 3) => ({
  ...connected,
  account: { ...account, lastError: { failure, message: "It failed", at: at(minute) } }
})
const now = Date.parse(at(5))

describe("the status of a device", () => {
  const status = (connection: DeviceConnection | undefined, time = now, isFollowing = true, device = read) =>
    findShownStatus(device, connection, time, isFollowing)

  test("is online within the window of its newest reading, and offline once that has passed without a message", () => {
    expect(status(connected)).toBe("online")
    expect(status(connected, Date.parse(at(15)))).toBe("online")
    expect(status(connected, Date.parse(at(15)) + 1)).toBe("offline")
  })

  test("is not green after a failed attempt, until a later reading arrives", () => {
    expect(status(failing("vendor_fault"))).toBe("unanswered")
    expect(shownStates.unanswered).not.toBe("good")
    expect(status(failing("vendor_fault"), now, true, { ...read, lastOnlineAt: at(4) })).toBe("online")
  })

  test("is offline where the service knows it already, unless the live stream has brought a newer reading", () => {
    const silent: DeviceConnection = { ...connected, onlineStatus: "offline", onlineUntil: null, isUnreachable: true }
    expect(status(silent)).toBe("offline")
    expect(status(silent, now, true, { ...read, lastOnlineAt: at(1) })).toBe("online")
  })

  test("is said to be the last known one while the page hears nothing from the service", () => {
    expect(status(connected, now, false)).toBe("last_known")
    expect(Object.entries(shownStates).filter(([, state]) => state === "good")).toEqual([["online", "good"]])
  })
})

describe("the cause", () => {
  const offline = { ...connected, onlineStatus: "offline", onlineUntil: null } as const
  test.each([
    ["sign_in", { ...offline, disconnectedAt: at(4), account: { ...account, status: "failed" } }],
    ["disconnected", { ...offline, disconnectedAt: at(4) }],
    ["disconnected", { ...offline, account: { ...account, status: "disconnected" } }],
    ["paused", { ...offline, account: { ...account, pausedUntil: at(9) } }],
    ["setup", failing("misconfigured")],
    ["network", failing("unreachable")],
    ["manufacturer", failing("vendor_fault")],
    ["network", { ...offline, isUnreachable: true }],
    ["source", { ...offline, account: null, isDirect: true }],
    ["never", { ...offline, onlineStatus: "unknown", lastOnlineAt: null }],
    ["silent", offline]
  ] as const)("is %s", (cause, connection) => {
    expect(findCause(connection as DeviceConnection)).toBe(cause)
  })

  test("is none for a device that is reached without an error", () => {
    expect(findCause(connected)).toBeUndefined()
    expect(findCause({ ...connected, onlineStatus: "asleep", account: null })).toBeUndefined()
  })
})
