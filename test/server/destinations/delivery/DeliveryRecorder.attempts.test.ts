import { attemptOutcome, retrySchedule } from "@edp/server/destinations/delivery/DeliveryRecorder"
import { retryPause } from "@edp/server/platform/jobs/retryPause"
import { askedPause, unanswered } from "@edp/server/destinations/senders/DestinationSender"
import { describe, expect, test } from "vitest"

const second = 1000
const hour = 3600 * second

const pauseAfter = (failures: number, random: number, askedMs?: number) =>
  retryPause(retrySchedule, failures, random, askedMs)

describe("the pause after a failure", () => {
  test.each([
    [1, 5 * second],
    [2, 30 * second],
    [3, 300 * second],
    [4, 1800 * second],
    [5, 2 * hour],
    [6, 5 * hour],
    [7, 10 * hour],
    [8, 10 * hour]
  ])("number %i follows the schedule within a tenth", (failures, pause) => {
    expect(pauseAfter(failures, 0.5)).toBe(pause)
    expect(pauseAfter(failures, 0)).toBe(Math.round(pause * 0.9))
    expect(pauseAfter(failures, 1)).toBe(Math.round(pause * 1.1))
  })

  test("ends after the ninth failure", () => {
    expect(pauseAfter(9, 0.5)).toBeUndefined()
  })

  test("is as long as the receiver requests, up to a day, and never shorter than the schedule's", () => {
    expect(pauseAfter(1, 0.5, 60 * second)).toBe(60 * second)
    expect(pauseAfter(1, 0.5, 100 * hour)).toBe(24 * hour)
    expect(pauseAfter(2, 0.5, second)).toBe(30 * second)
  })
})

describe("Retry-After", () => {
  const now = Date.UTC(2026, 2, 1)
  test.each([
    ["120", 120 * second],
    ["0", 0],
    ["Sun, 01 Mar 2026 00:02:00 GMT", 120 * second],
    ["Sat, 28 Feb 2026 00:00:00 GMT", 0],
    ["soon", undefined],
    ["-5", undefined],
    ["1e3", undefined],
    [undefined, undefined]
  ])("%j", (header, pause) => {
    expect(askedPause(header, now)).toBe(pause)
  })
})

describe("the outcome of an attempt", () => {
  test("the first three failures block the subject, after the fourth later deliveries overtake it, the ninth is final", () => {
    const outcomes = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((failures) => attemptOutcome(unanswered("no"), failures, 0, 0.5))
    expect(outcomes.map(({ overtaken }) => overtaken)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
      true,
      true
    ])
    expect(outcomes.map(({ status }) => status)).toEqual([...Array(8).fill("pending"), "failed"])
    expect(outcomes[0]!.nextAt).toBe(5 * second)
  })

  test("a permanent refusal is not retried", () => {
    const outcome = attemptOutcome({ ...unanswered("never"), permanent: true }, 0, 0, 0.5)
    expect(outcome).toEqual({ status: "failed", failures: 1, nextAt: undefined, overtaken: true })
  })
})
