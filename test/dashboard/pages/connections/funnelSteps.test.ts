import { formatDuration } from "@edp/dashboard/pages/connections/duration"
import { funnelBars, funnelErrors, successShare } from "@edp/dashboard/pages/connections/funnelSteps"
import type { ConnectFunnel } from "@edp/domain/connections/ConnectFunnel"
import { describe, expect, test } from "vitest"

type Manufacturer = ConnectFunnel["manufacturers"][number]

const acme: Manufacturer = {
  manufacturer: "acme",
  sessions: 8,
  medianConnectSeconds: 90,
  steps: [
    { status: "PENDING", sessions: 8, medianSeconds: 12 },
    { status: "STARTED", sessions: 6, medianSeconds: 3 },
    // The customer was known: nobody was asked for a name and an address.
    { status: "AUTHORIZING_MANUFACTURER", sessions: 4, medianSeconds: 40 },
    { status: "SUCCESS", sessions: 2, medianSeconds: null },
    { status: "ERROR", sessions: 3, medianSeconds: null }
  ],
  errors: [{ code: "access_denied", sessions: 2 }]
}
const none: Manufacturer = {
  manufacturer: null,
  sessions: 2,
  medianConnectSeconds: null,
  steps: [{ status: "PENDING", sessions: 2, medianSeconds: null }],
  errors: [
    { code: "expired", sessions: 3 },
    { code: "access_denied", sessions: 2 }
  ]
}

describe("the funnel of connect sessions", () => {
  test("counts a session that skips a step as one that has passed it", () => {
    expect(funnelBars([acme]).map(({ reached, sessions }) => [reached, sessions])).toEqual([
      [8, 8],
      [6, 6],
      [4, 0],
      [4, 0],
      [4, 4],
      [2, 0],
      [2, 2]
    ])
  })

  test("gives each step its share of all sessions and of the step before", () => {
    const bars = funnelBars([acme, none])
    expect(bars.map(({ share }) => share)).toEqual([1, 0.6, 0.4, 0.4, 0.4, 0.2, 0.2])
    expect(bars.map(({ rate }) => rate)).toEqual([null, 0.6, 4 / 6, 1, 1, 0.5, 1])
    expect([successShare(acme), successShare(none)]).toEqual([0.25, 0])
  })

  test("shows the median of a step for one manufacturer, since medians of several can't be added", () => {
    expect(funnelBars([acme])[4]?.medianSeconds).toBe(40)
    expect(funnelBars([acme, none])[4]?.medianSeconds).toBeNull()
  })

  test("has no rates that are not numbers where there are no sessions", () => {
    for (const { share, rate } of funnelBars([])) expect([share, rate ?? 0]).toEqual([0, 0])
    expect(successShare({ ...none, sessions: 0 })).toBeNull()
  })

  test("adds the errors of manufacturers, the most frequent first", () => {
    expect(funnelErrors([acme, none])).toEqual([
      { code: "access_denied", sessions: 4 },
      { code: "expired", sessions: 3 }
    ])
  })
})

test("a duration is shown in its two largest units", () => {
  expect([0.4, 9.96, 59, 60, 95, 3600, 5400, 90_000].map((seconds) => formatDuration("en", seconds))).toEqual([
    "0.4\u00a0s",
    "10\u00a0s",
    "59\u00a0s",
    "1\u00a0min",
    "1\u00a0min 35\u00a0s",
    "1\u00a0h",
    "1\u00a0h 30\u00a0min",
    "1\u00a0d 1\u00a0h"
  ])
})
