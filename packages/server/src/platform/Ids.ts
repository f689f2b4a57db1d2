import { hash, randomBytes } from "node:crypto"
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

/** The digits of the last 16 that belong to the device and to the process in the ids of readings; the others count within a millisecond. */
const DEVICE_DIGITS = 9
const PROCESS_DIGITS = 4
const COUNT_DIGITS = DIGITS - DEVICE_DIGITS - PROCESS_DIGITS
const COUNTS = 36 ** COUNT_DIGITS

/** The digits of a device, in all ids of its readings. */
const deviceDigits = (deviceId: string) =>
  (BigInt(`0x${hash("md5", deviceId)}`) % 36n ** BigInt(DEVICE_DIGITS)).toString(36).padStart(DEVICE_DIGITS, "0")

/** Devices whose digits are remembered. */
const MOST_DEVICES = 50_000

/**
 * Ids of readings: unique like others, but all after the time follows from the device, the process and a count, so that millions of them
 * compress well. They are not in the order of their creation within a millisecond.
 */
const readingIds = () => {
  const devices = new Map<string, string>()
  const ofProcess = (randomPart() % 36n ** BigInt(PROCESS_DIGITS)).toString(36).padStart(PROCESS_DIGITS, "0")
  let last = -1
  let begin = ""
  let count = 0
  const digitsFor = (deviceId: string) => {
    const known = devices.get(deviceId)
    if (known !== undefined) return known
    if (devices.size >= MOST_DEVICES) devices.clear()
    const made = deviceDigits(deviceId) + ofProcess
    devices.set(deviceId, made)
    return made
  }
  return (milliseconds: number, deviceId: string) => {
    if (milliseconds > last || count === COUNTS) {
      last = Math.max(milliseconds, last + 1)
      begin = `c${last.toString(36).padStart(TIME_DIGITS, "0")}`
      count = 0
    }
    return begin + digitsFor(deviceId) + (count++).toString(36).padStart(COUNT_DIGITS, "0")
  }
}

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
    /** The id of a reading of the device that arrived at the given milliseconds. */
    readonly readingAt: (milliseconds: number, deviceId: string) => string
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
      return {
        next: Effect.sync(() => nextAt(clock.currentTimeMillisUnsafe())),
        nextAt,
        readingAt: readingIds()
      }
    })
  )
}
