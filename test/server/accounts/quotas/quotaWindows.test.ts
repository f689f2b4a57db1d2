import { sustainableInterval, windowEnd, windowStart, windowedCalls } from "@edp/server/accounts/quotas/quotaWindows"
import { failurePause, readingPause, renewalTime } from "@edp/server/accounts/readingSchedule"
import { retryTime } from "@edp/server/accounts/calls/AccountCalls"
import { describe, expect, test } from "vitest"

const at = Date.UTC(2026, 1, 28, 23, 59, 30)
const quota = { scope: "manufacturer", calls: 1000, window: 3600, headroom: 0.2 } as const

describe("windows of quotas", () => {
  test("begin on whole hours and months in UTC", () => {
    expect(windowStart(quota, at)).toBe(Date.UTC(2026, 1, 28, 23))
    expect(windowEnd(quota, at)).toBe(Date.UTC(2026, 2, 1))
    expect(windowStart({ window: "month" }, at)).toBe(Date.UTC(2026, 1, 1))
    expect(windowEnd({ window: "month" }, at)).toBe(Date.UTC(2026, 2, 1))
  })

  test("leave the headroom to commands", () => {
    expect(windowedCalls([quota], "a", "polling", at)).toMatchObject([{ accountId: "", limit: 800 }])
    expect(windowedCalls([quota], "a", "command", at)).toMatchObject([{ accountId: "", limit: 1000 }])
    expect(windowedCalls([{ ...quota, scope: "account" }], "a", "polling", at)).toMatchObject([{ accountId: "a" }])
    expect(windowedCalls([{ ...quota, scope: "account" }], undefined, "command", at)).toEqual([])
  })

  test("last for all accounts at the sustainable interval", () => {
    expect(sustainableInterval([], 100, 1)).toBe(0)
    expect(sustainableInterval([quota], 100, 2)).toBe((3600 * 100 * 2) / 800)
    expect(sustainableInterval([{ ...quota, scope: "account" }], 100, 2)).toBe((3600 * 2) / 800)
  })
})

describe("times of the next work", () => {
  const polling = { busy: 10, normal: 60, idle: 300, asleep: 600, discovery: 3600 }
  const randoms = [0, 0.25, 0.5, 0.999]

  test("are never later than the interval of the manifest, nor earlier than a quota allows", () => {
    for (const random of randoms) {
      expect(readingPause(polling, "normal", 0, random)).toBeLessThanOrEqual(60_000)
      expect(readingPause(polling, "normal", 0, random)).toBeGreaterThanOrEqual(54_000)
      expect(readingPause(polling, "busy", 900, random)).toBeGreaterThanOrEqual(900_000)
      expect(readingPause(polling, "normal", 59, random)).toBeGreaterThanOrEqual(59_000)
    }
  })

  test("double after failures, up to an hour", () => {
    for (const random of randoms) {
      expect(failurePause(2, 60, random)).toBeCloseTo(2 * failurePause(1, 60, random))
      expect(failurePause(50, 60, random)).toBeLessThanOrEqual(3_600_000)
    }
  })

  test("renew credentials before their end, however short they live", () => {
    const now = 1_000_000
    for (const life of [0, 1000, 60_000, 239_000, 240_000, 3_600_000, 90 * 86_400_000]) {
      for (const random of randoms) {
        const renewal = renewalTime(now, now + life, random)
        expect(renewal).toBeGreaterThanOrEqual(now)
        expect(renewal).toBeLessThanOrEqual(now + life)
        if (life >= 240_000) expect(now + life - renewal).toBeGreaterThanOrEqual(60_000)
      }
    }
  })
})

test("Retry-After is read as seconds and as a date, and nothing else", () => {
  expect(retryTime("120", at)).toBe(at + 120_000)
  expect(retryTime("Sun, 01 Mar 2026 00:10:00 GMT", at)).toBe(Date.UTC(2026, 2, 1, 0, 10))
  expect(retryTime("soon", at)).toBeNull()
  expect(retryTime(undefined, at)).toBeNull()
})
