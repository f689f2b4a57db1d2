import { TRANSITIONS_LIMIT, connectSessionStatuses } from "@edp/domain/connections/ConnectSession"
import { canMove, isFinal, moveThrough, nextStatuses, openStatuses } from "@edp/server/connections/sessionStatus"
import { Schema } from "effect"
import { describe, expect, test } from "vitest"
import { it } from "@effect/vitest"

const at = "2026-03-01T12:00:00.000Z"

/** The documented transitions, written by hand. */
const documented: Readonly<Record<string, ReadonlyArray<string>>> = {
  PENDING: ["STARTED", "AUTHORIZING_MANUFACTURER", "ERROR", "EXPIRED"],
  STARTED: ["ENTERING_CUSTOMER_INFO", "SELECTING_MANUFACTURER", "ERROR", "EXPIRED"],
  ENTERING_CUSTOMER_INFO: ["SELECTING_MANUFACTURER", "ERROR", "EXPIRED"],
  SELECTING_MANUFACTURER: ["AUTHORIZING_MANUFACTURER", "UNSUPPORTED_MANUFACTURER", "ERROR", "EXPIRED"],
  UNSUPPORTED_MANUFACTURER: ["SELECTING_MANUFACTURER", "ERROR", "EXPIRED"],
  AUTHORIZING_MANUFACTURER: ["ENTERING_SYSTEM_INFO", "DUPLICATE_CONNECTION", "SUCCESS", "ERROR", "EXPIRED"],
  ENTERING_SYSTEM_INFO: ["SUCCESS", "ERROR", "EXPIRED"],
  ERROR: [
    "ENTERING_CUSTOMER_INFO",
    "SELECTING_MANUFACTURER",
    "AUTHORIZING_MANUFACTURER",
    "ENTERING_SYSTEM_INFO",
    "EXPIRED"
  ],
  DUPLICATE_CONNECTION: [],
  SUCCESS: [],
  EXPIRED: []
}

describe("the status of a connect session", () => {
  test("takes exactly the documented transitions", () => {
    for (const from of connectSessionStatuses) {
      expect([from, [...nextStatuses(from)].sort()]).toEqual([from, [...documented[from]!].sort()])
    }
  })

  test("is final after SUCCESS, EXPIRED and DUPLICATE_CONNECTION, and open otherwise", () => {
    const final = connectSessionStatuses.filter(isFinal)
    expect(final.toSorted()).toEqual(["DUPLICATE_CONNECTION", "EXPIRED", "SUCCESS"])
    expect([...openStatuses, ...final].sort()).toEqual([...connectSessionStatuses].sort())
    for (const status of openStatuses) expect(canMove(status, "EXPIRED")).toBe(true)
  })

  const walk = Schema.Array(Schema.Literals(connectSessionStatuses)).check(Schema.isMaxLength(300))

  it.prop(
    "follows any walk as far as the transitions go, keeps each with its time, and refuses the rest",
    [walk],
    ([steps]) => {
      let transitions = moveThrough([{ status: "PENDING", at }], [], at)
      let taken = 0
      for (const step of steps) {
        const before = transitions
        const from = before.at(-1)!.status
        if (!documented[from]!.includes(step)) {
          expect(() => moveThrough(before, [step], at)).toThrow(`from ${from} to ${step}`)
          continue
        }
        taken += 1
        transitions = moveThrough(before, [step], at)
        expect(transitions.at(-1)).toEqual({ status: step, at })
        expect(transitions[0]).toEqual({ status: "PENDING", at })
        expect(transitions.length).toBe(Math.min(taken + 1, TRANSITIONS_LIMIT))
        if (isFinal(step)) break
      }
    }
  )

  test("keeps the first transition and the latest ones of a session that goes round and round", () => {
    let transitions = moveThrough([{ status: "PENDING", at }], ["STARTED", "SELECTING_MANUFACTURER"], at)
    for (let round = 0; round < 200; round++) {
      transitions = moveThrough(transitions, ["UNSUPPORTED_MANUFACTURER", "SELECTING_MANUFACTURER"], at)
    }
    expect(transitions).toHaveLength(TRANSITIONS_LIMIT)
    expect(transitions[0]!.status).toBe("PENDING")
    expect(transitions.at(-1)!.status).toBe("SELECTING_MANUFACTURER")
  })
})
