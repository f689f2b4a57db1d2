import { judge, type Phase, type Verdict, type Watched } from "@edp/server/alerts/silence"
import { describe, expect, test } from "vitest"

const MINUTE = 60_000
const start = Date.UTC(2026, 2, 1, 12)
const date = (minutes: number) => new Date(start + minutes * MINUTE)

/** A device with a window of 15 minutes, whose newest reading is the given minutes after the start. */
const device = (at: number, fields: Partial<Watched> = {}): Watched => ({
  deviceId: "c1",
  phase: "online",
  since: null,
  heardAt: null,
  workspaceId: "c2",
  connected: true,
  readingId: "c3",
  at: date(at),
  asleep: false,
  window: 15 * MINUTE,
  offlineAt: date(at + 15),
  ...fields
})

/** Minutes after the start; null: not before there is news. */
const checked = (verdict: Verdict) =>
  verdict.kind === "left" || verdict.watch.checkAt === null ? null : (verdict.watch.checkAt.getTime() - start) / MINUTE

const findPhase = (verdict: Verdict): Phase | undefined => (verdict.kind === "left" ? undefined : verdict.watch.phase)

describe("a device that reports", () => {
  test("is checked again when its newest reading will be too old, plus half a minute", () => {
    const verdict = judge(device(10), date(15.5))
    expect(verdict.kind).toBe("same")
    expect(checked(verdict)).toBe(25.5)
  })

  test("is checked hourly if its window is long", () => {
    expect(checked(judge(device(0, { window: 24 * 60 * MINUTE, offlineAt: date(24 * 60) }), date(10)))).toBe(70)
  })

  test("is silent half a minute after its window, to the millisecond", () => {
    expect(judge(device(0), new Date(date(15.5).getTime() - 1))).toMatchObject({ kind: "same" })
    expect(judge(device(0), date(15.5))).toMatchObject({
      kind: "fell",
      watch: { phase: "silent", heardAt: date(0), checkAt: null }
    })
  })

  test("is not watched when it reported that it is asleep, or is not expected to report", () => {
    expect(judge(device(0, { asleep: true }), date(10)).kind).toBe("same")
    expect(judge(device(0, { asleep: true }), date(16)).kind).toBe("left")
    expect(judge(device(0, { connected: false }), date(10)).kind).toBe("left")
    expect(judge(device(0, { workspaceId: null }), date(10)).kind).toBe("left")
    expect(judge(device(0, { at: null, offlineAt: null, readingId: null }), date(10)).kind).toBe("left")
  })
})

describe("a silent device", () => {
  const silent = { phase: "silent", heardAt: date(0) } as const

  test("has recovered with the first recent reading", () => {
    const verdict = judge(device(60, silent), date(61))
    expect(verdict).toMatchObject({ kind: "recovered", watch: { phase: "online", since: date(61), heardAt: null } })
    expect(checked(verdict)).toBe(75.5)
  })

  test("stays silent while its newest reading is the same", () => {
    expect(judge(device(0, silent), date(5000))).toEqual({
      kind: "same",
      watch: { ...silent, since: null, checkAt: null }
    })
  })

  test("that reported and fell silent again between two checks has a new silence", () => {
    expect(judge(device(60, silent), date(100))).toMatchObject({ kind: "fell", watch: { heardAt: date(60) } })
  })

  test("that returned with older history is a different device", () => {
    expect(judge(device(-1000, silent), date(5)).kind).toBe("left")
  })

  test("that reported and is asleep is not watched", () => {
    expect(judge(device(60, { ...silent, asleep: true }), date(100)).kind).toBe("left")
  })
})

describe("a device with an unstable connection", () => {
  test("is unstable when it falls silent within four windows of a recovery, and stable afterwards", () => {
    const recovered = { since: date(0) }
    expect(findPhase(judge(device(44, recovered), date(60)))).toBe("unsteady")
    expect(findPhase(judge(device(45, recovered), date(61)))).toBe("silent")
    expect(judge(device(70, recovered), date(71))).toMatchObject({ kind: "same", watch: { since: null } })
  })

  test("keeps its alert after a recovery until it has reported for four windows", () => {
    const unsteady = { phase: "unsteady", heardAt: date(0) } as const
    const heard = judge(device(30, unsteady), date(30))
    expect(heard).toMatchObject({ kind: "same", watch: { phase: "settling", since: date(30) } })
    const settling = { phase: "settling", since: date(30) } as const
    expect(judge(device(89, settling), date(89))).toMatchObject({ kind: "same", watch: { phase: "settling" } })
    expect(checked(judge(device(89, settling), date(89)))).toBe(90)
    expect(judge(device(89, settling), date(90))).toMatchObject({
      kind: "recovered",
      watch: { phase: "online", since: null }
    })
  })

  test("increases the count of its alert when it falls silent before that", () => {
    const settling = { phase: "settling", since: date(30) } as const
    expect(judge(device(40, settling), date(55.5))).toMatchObject({ kind: "fell", watch: { phase: "unsteady" } })
  })

  test("that reports once an hour for ever has two alerts, one of which stays open", () => {
    let watched = device(0)
    const alerts = { raised: 0, resolved: 0 }
    for (let minute = 0; minute < 48 * 60; minute += 1) {
      const news = minute % 60 === 0
      const at = date(minute - (minute % 60))
      watched = { ...watched, at, offlineAt: new Date(at.getTime() + 15 * MINUTE) }
      // Reported when a reading arrives, and by its own check.
      if (!news && (minute % 60) - 16 !== 0) continue
      const verdict = judge(watched, date(minute))
      if (verdict.kind === "fell" && watched.phase !== "settling") alerts.raised += 1
      if (verdict.kind === "recovered") alerts.resolved += 1
      if (verdict.kind !== "left") watched = { ...watched, ...verdict.watch }
    }
    expect(alerts).toEqual({ raised: 2, resolved: 1 })
  })
})
