import { beginningOfIds, firstIdAt, issuedAt, Ids } from "@edp/server/platform/Ids"
import { isCuid } from "@edp/domain/shared/Cuid"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const issuer = Effect.provide(Ids, Ids.layer)

describe("ids", () => {
  it.effect("are unique within a millisecond, well formed and in the order of their creation", () =>
    Effect.gen(function* () {
      const { nextAt } = yield* issuer
      const ids = Array.from({ length: 3000 }, () => nextAt(1_700_000_000_000))
      assert.deepStrictEqual(ids.toSorted(), ids)
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.isTrue(ids.every(isCuid))
      assert.isTrue(ids.every((id) => issuedAt(id) === 1_700_000_000_000))
    })
  )

  it.effect("stay in order when the clock is set back", () =>
    Effect.gen(function* () {
      const { nextAt } = yield* issuer
      const ids = [1_700_000_000_001, 1_700_000_000_000, 1_600_000_000_000, 1_700_000_000_002].map(nextAt)
      assert.deepStrictEqual(ids.toSorted(), ids)
      assert.strictEqual(issuedAt(ids[2]!), 1_700_000_000_001)
    })
  )

  it.effect("differ between two processes", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([issuer, issuer])
      assert.notStrictEqual(one.nextAt(1_700_000_000_000), other.nextAt(1_700_000_000_000))
    })
  )

  it("have a prefix with room for the digits of a statement, and sort by time", () => {
    const at = Date.UTC(2026, 2, 1)
    const [one, other] = [beginningOfIds(at, 6), beginningOfIds(at, 6)]
    assert.notStrictEqual(one, other)
    for (const id of [`${one}000001`, `${one}999999`]) {
      assert.isTrue(isCuid(id))
      assert.strictEqual(issuedAt(id), at)
      assert.isTrue(id >= firstIdAt(at) && id < firstIdAt(at + 1))
    }
  })
})
