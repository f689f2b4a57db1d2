import { Clock, Effect } from "effect"
import { AccountWorkRepository } from "./AccountWorkRepository.ts"
import { CallQuotasRepository } from "./quotas/CallQuotasRepository.ts"

/** The longest waits that are left after a clock was set back, in milliseconds: an account that is read too early waits again. */
const AFTER_SETTING = { accounts: 0, pauses: 900_000 }

/** The longest waits that any account has, in milliseconds. */
const USUALLY = { accounts: 86_400_000, pauses: 32 * 86_400_000 }

/** Limits the waits of accounts that were stored while a clock was ahead. */
export const AccountWaits = Effect.gen(function* () {
  const work = yield* AccountWorkRepository
  const quotas = yield* CallQuotasRepository
  return {
    limit: Effect.fn("AccountWaits.limit")(function* (isSetBack: boolean) {
      const { accounts, pauses } = isSetBack ? AFTER_SETTING : USUALLY
      yield* quotas.limitWaits(new Date(yield* Clock.currentTimeMillis), pauses)
      yield* work.limitWaits(accounts)
    })
  }
})
