import { isDeepStrictEqual } from "node:util"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect } from "effect"
import type { Random } from "../../support/Random.ts"
import { acceptedCommand } from "../../support/scriptedAdapter.ts"

export type CallEnd =
  | "accepted"
  | "completed"
  | "already_so"
  | "unreachable"
  | "quota"
  | "elsewhere"
  | "refused"
  | "died"

export interface ModelCall {
  readonly id: string
  readonly at: number
  end: CallEnd
}

type Settings = Readonly<Record<"mode" | "power", string>>

export const original: Settings = { mode: "self-consumption", power: "5000" }
const fields = ["mode", "power"] as const

const troubles: ReadonlyArray<CallEnd> = ["unreachable", "unreachable", "quota", "elsewhere", "refused", "died", "died"]

/** A battery at its manufacturer, whose calls end as a random generator decides: also by the death of the worker between two writes. */
export class ModelBattery {
  settings = original
  readonly calls: Array<ModelCall> = []
  /** How many of them were compared with the rules. */
  checked = 0
  overlaps = 0
  /** A worker died while it had the device, and its lease has not ended. */
  isOrphaned = false
  /** Whether calls may fail. */
  isTroubled = true
  /** Something that happens during a call, once its writes are done. */
  during: ((request: CommandRequest) => Effect.Effect<void>) | undefined
  #busy = 0
  readonly #random: Random
  readonly #now: () => number

  constructor(random: Random, now: () => number) {
    this.#random = random
    this.#now = now
  }

  readonly send = (request: CommandRequest): Effect.Effect<CommandResult, AdapterError> =>
    this.#exclusive(
      Effect.gen({ self: this }, function* () {
        const call: ModelCall = { id: request.id, at: this.#now(), end: "accepted" }
        this.calls.push(call)
        const mode = request.type === "battery:set-operating-mode" ? String(request.input["operatingMode"]) : undefined
        const target = mode === "reset" ? (request.snapshot as Settings | null) : mode && { mode, power: mode }
        if (target === null) return yield* this.#end(call, "refused")
        if (target && isDeepStrictEqual(target, this.settings) && this.#random.chance(0.5)) {
          return yield* this.#end(call, "already_so")
        }
        const end = this.#drawEnd()
        if (end === "elsewhere" || end === "quota") return yield* this.#end(call, end)
        if (mode !== undefined && mode !== "reset" && request.snapshot === null) {
          yield* request.saveSnapshot(this.settings)
        }
        if (target) yield* this.#write(target, end, call)
        if (this.during !== undefined) yield* this.during(request)
        return yield* this.#end(call, end)
      })
    )

  readonly restore = (snapshot: unknown): Effect.Effect<CommandResult, AdapterError> =>
    this.#exclusive(
      Effect.gen({ self: this }, function* () {
        const call: ModelCall = { id: "", at: this.#now(), end: "completed" }
        const end = this.#drawEnd()
        if (end !== "elsewhere" && end !== "quota") yield* this.#write(snapshot as Settings, end, call)
        return yield* this.#end(call, end)
      })
    )

  #drawEnd(): CallEnd {
    if (this.isTroubled && this.#random.chance(0.5)) return this.#random.pick(troubles)
    return this.#random.chance(0.7) ? "accepted" : "completed"
  }

  /** Writes the fields one after another. A call that goes wrong may do so before any of them. */
  #write(target: Settings, end: CallEnd, call: ModelCall) {
    return Effect.gen({ self: this }, function* () {
      const last = end === "accepted" || end === "completed" ? fields.length : this.#random.below(fields.length + 1)
      for (const [index, field] of fields.entries()) {
        if (index === last) return yield* this.#end(call, end)
        this.settings = { ...this.settings, [field]: target[field] }
        yield* Effect.yieldNow
      }
    })
  }

  #end(call: ModelCall, end: CallEnd): Effect.Effect<CommandResult, AdapterError> {
    call.end = end
    const later = this.#now() + this.#random.below(120_000)
    switch (end) {
      case "accepted":
        return Effect.succeed(acceptedCommand)
      case "completed":
        return Effect.succeed({ ...acceptedCommand, status: "completed" })
      case "already_so":
        return Effect.succeed({ ...acceptedCommand, status: "completed", reason: "already_so" })
      case "quota":
        return Effect.fail(AdapterError.of("throttled", "The platform's count is full", { retryAt: later }))
      case "died":
        this.isOrphaned = true
        return Effect.interrupt
      default:
        return Effect.fail(AdapterError.of(end, "In vain"))
    }
  }

  #exclusive<A, E>(work: Effect.Effect<A, E>) {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.#busy += 1
        if (this.#busy > 1) this.overlaps += 1
      }),
      () => work,
      () => Effect.sync(() => (this.#busy -= 1))
    )
  }
}

export interface WorldDevice {
  readonly id: string
  readonly battery: ModelBattery
}
