import { wholeWorkspace } from "@edp/server/devices/deviceSelection"
import { type OnlineStatus, onlineStatuses } from "@edp/domain/devices/DeviceType"
import { DeviceSearchRepository } from "@edp/server/devices/DeviceSearchRepository"
import { DevicesRepository } from "@edp/server/devices/DevicesRepository"
import { toDevice } from "@edp/server/devices/deviceRow"
import { Effect } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "./arrangeDevices.ts"

const app = useTestApp({ own: true })

const now = new Date("2026-03-31T12:00:00.000Z")
const MINUTE = 60_000

/** How long readings count, by manufacturer. A month is not always the same number of milliseconds. */
const windows = { short: "15 minutes", none: "0", long: "2 hours", month: "1 month" } as const
const starts: Readonly<Record<keyof typeof windows, number>> = {
  short: now.getTime() - 15 * MINUTE,
  none: now.getTime(),
  long: now.getTime() - 120 * MINUTE,
  month: Date.UTC(2026, 1, 28, 12)
}
const offsets = [-365 * 24 * 60 * MINUTE, -1, 0, 1, 5 * MINUTE]
const reports = [null, "online", "asleep", "offline", "unknown", "unreachable"]

const expectedStatus = (offset: number, reported: string | null): OnlineStatus => {
  // Its source could not reach it since the reading.
  if (reported === "unreachable") return "offline"
  if (reported === "asleep") return "asleep"
  return offset >= 0 ? "online" : "offline"
}

const subsets = Array.from({ length: 15 }, (_, n) => onlineStatuses.filter((__, bit) => ((n + 1) >> bit) & 1))

describe("the online status of a device", () => {
  let workspaceId: string
  const expected = new Map<string, OnlineStatus>()
  beforeAll(async () => {
    const place = await arrangeDevices(app)
    workspaceId = place.workspaceId
    for (const [slug, window] of Object.entries(windows)) {
      await app.sql(
        (sql) => sql`INSERT INTO manufacturers (slug, name, device_types, connectable, direct_integration,
            online_window, created_at, updated_at)
          VALUES (${slug}, ${slug}, '{inverter}', false, true, ${window}::text::interval, now(), now())`
      )
      expected.set(await place.device({ manufacturer: slug }), "unknown")
      for (const offset of offsets) {
        for (const status of reports) {
          const id = await place.device({ manufacturer: slug })
          const at = new Date(starts[slug as keyof typeof windows] + offset)
          await place.read(id, { at, status })
          expected.set(id, expectedStatus(offset, status))
        }
      }
      for (const status of reports) {
        const id = await place.device({ manufacturer: slug, disconnectedAt: now })
        await place.read(id, { at: now, status })
        expected.set(id, "offline")
      }
      expected.set(await place.device({ manufacturer: slug, disconnectedAt: now }), "unknown")
    }
  })

  test("depends on the time of the newest reading, to the millisecond, unless the device is disconnected, asleep or out of its source's reach", async () => {
    const rows = await app.run(Effect.flatMap(DevicesRepository, (devices) => devices.byIds([...expected.keys()], now)))
    const found = new Map(rows.map((row) => [row.id, toDevice(row).onlineStatus]))
    expect(found).toEqual(new Map([...expected].toSorted(([one], [other]) => (one < other ? 1 : -1))))
  })

  test.each(subsets)("is equal in the filter: %s %s %s", async (...statuses) => {
    const given = statuses.filter((status) => status !== undefined)
    const selection = { ...wholeWorkspace(workspaceId), statuses: given }
    const matching = [...expected].flatMap(([id, status]) => (given.includes(status) ? [id] : [])).toReversed()
    const part = { limit: 1000, offset: 0, before: undefined }
    const found = (matches: number) =>
      app.run(
        Effect.flatMap(DeviceSearchRepository, (search) =>
          Effect.all([search.list(selection, part, matches, now), search.count(selection, part, now)])
        )
      )
    // Depending on the given number of matches, it searches the newest devices, collects all, or does both in sequence.
    for (const matches of [100, 0, 1_000_000]) {
      const [rows, { total }] = await found(matches)
      expect(rows.map(({ id }) => id)).toEqual(matching)
      expect(total).toBe(matching.length)
      expect(rows.every((row) => given.includes(toDevice(row).onlineStatus))).toBe(true)
    }
  })
})
