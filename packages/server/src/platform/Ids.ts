import { randomBytes } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"

const DIGITS = 16
const SPACE = 36n ** BigInt(DIGITS)
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"

const TIME_DIGITS = 8
const TIMES = 36 ** TIME_DIGITS

/** When an id was issued, in milliseconds by its issuer's clock. */
export const issuedAt = (id: string) => Number.parseInt(id.slice(1, 1 + TIME_DIGITS), 36)

/** A string that sorts before every id issued at or after the given milliseconds, and after every earlier one. */
export const firstIdAt = (milliseconds: number) =>
  milliseconds < TIMES ? `c${Math.max(0, milliseconds).toString(36).padStart(TIME_DIGITS, "0")}` : "d"

const randomPart = () => {
  // 128 random bits exceed the space by far, so the bias of the remainder is negligible. Half of the space is left for increments.
  const drawn = BigInt(`0x${randomBytes(16).toString("hex")}`)
  return drawn % (SPACE / 2n)
}

/** The common prefix of the ids that one statement generates at the given time and completes with the given number of digits. */
export const beginningOfIds = (milliseconds: number, digits: number) =>
  firstIdAt(milliseconds) + (randomPart() % 36n ** BigInt(DIGITS - digits)).toString(36).padStart(DIGITS - digits, "0")

/**
 * Issues ids: `c`, 8 characters of base-36 milliseconds, 16 random ones. Within a millisecond the random part is
 * incremented and the clock never goes back, so ids of one process are in the order of their creation.
 */
export class Ids extends Context.Service<
  Ids,
  {
    readonly next: Effect.Effect<string>
    /** An id at the given milliseconds, for loops in which an effect for each id would be too slow. */
    readonly nextAt: (milliseconds: number) => string
  }
>()("@edp/server/Ids") {
  static readonly layer = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let last = -1
      let prefix = ""
      // Bulk pushes take thousands of ids at a time, so all but the last digit is kept as text.
      let begin = ""
      let block = 0n
      let digit = 0
      const nextAt = (milliseconds: number) => {
        if (milliseconds > last) {
          last = milliseconds
          prefix = `c${milliseconds.toString(36).padStart(TIME_DIGITS, "0")}`
          const random = randomPart()
          block = random / 36n
          digit = Number(random % 36n)
        } else if (digit < 35) {
          digit += 1
          return begin + ALPHABET[digit]
        } else {
          block += 1n
          digit = 0
        }
        begin = prefix + block.toString(36).padStart(DIGITS - 1, "0")
        return begin + ALPHABET[digit]
      }
      return { next: Effect.sync(() => nextAt(clock.currentTimeMillisUnsafe())), nextAt }
    })
  )
}
