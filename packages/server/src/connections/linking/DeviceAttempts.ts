import { Duration, Effect, Fiber } from "effect"
import { AdapterError, type AdapterFailure } from "@edp/adapter-kit/AdapterError"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { NOT_CALLED } from "../../platform/outbound/OutboundDial.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { ConnectionsRepository } from "../ConnectionsRepository.ts"

/** Attempts of one link: a person needs a few. */
const PER_SESSION = 20

/** Failures that do not show that a device of the kind answered. */
const unreached: ReadonlySet<AdapterFailure> = new Set([
  "unreachable",
  "asleep",
  "contract",
  "vendor_fault",
  "throttled",
  "elsewhere"
])

/** Whether a person who names a host must not learn more than that no device could be reached there. */
export const isUnreached = ({ failure, message }: AdapterError): boolean =>
  unreached.has(failure) || message === NOT_CALLED

/** Whether a form lets a person name a host, to which the platform then connects. */
export const namesHost = (fields: ReadonlyArray<FormField>): boolean => fields.some(({ kind }) => kind === "host")

const noResponse = AdapterError.of("unreachable", "The device did not respond in time")

/**
 * Attempts to connect to hosts that visitors name on connect pages. So that nobody explores the network of the platform by them, attempts are
 * limited, and all that reach no device end alike and after the same time: closed, refused, silent and unknown hosts, and other services.
 */
export const DeviceAttempts = Effect.gen(function* () {
  const repository = yield* ConnectionsRepository
  const { deviceResponseSeconds } = yield* ServerConfig
  const timeLimit = Duration.seconds(deviceResponseSeconds)

  return {
    /** Counts an attempt of a session. False if it has had its attempts: then nothing may be called. */
    count: Effect.fn("DeviceAttempts.count")((sessionId: string) => repository.countAttempt(sessionId, PER_SESSION)),
    /** Runs an attempt. A failure that shows no device ends after the time limit, whatever its cause. */
    run: Effect.fnUntraced(function* <A>(attempt: Effect.Effect<A, AdapterError | DatabaseUnavailable>) {
      const over = yield* Effect.forkChild(Effect.sleep(timeLimit))
      return yield* attempt.pipe(
        Effect.timeoutOrElse({ duration: timeLimit, orElse: () => Effect.fail(noResponse) }),
        Effect.tapErrorTag("AdapterError", (error) => (isUnreached(error) ? Fiber.join(over) : Effect.void)),
        Effect.ensuring(Fiber.interrupt(over))
      )
    })
  }
})
