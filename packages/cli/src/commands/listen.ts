import { eventTypes } from "@edp/domain/events/EventType"
import { secretBytes } from "@edp/domain/events/webhookSignature"
import { Config, Deferred, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { Output, refuseCsv } from "../kernel/Output.ts"
import { handleDelivery } from "./listen/handleDelivery.ts"
import { localReceiver } from "./listen/LocalReceiver.ts"
import { ownDestination } from "./listen/ownDestination.ts"

const DEFAULT_PORT = 4400

const isHttp = (text: string) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)

const address = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filter(isHttp, () => "Must be an http or https address"),
    Flag.withMetavar("url"),
    Flag.withDescription(description),
    Flag.optional
  )

const checkedSecret = (secret: Redacted.Redacted) =>
  secretBytes(Redacted.value(secret)) === undefined
    ? Effect.fail(usage("The secret must be whsec_ followed by 24 to 64 bytes in base64"))
    : Effect.succeed(Redacted.value(secret))

export const listen = Command.make(
  "listen",
  {
    forward: address("forward", "Forward verified deliveries to this address and return its response"),
    port: Flag.Int("port").pipe(
      Flag.filter(
        (port) => port >= 0 && port <= 65_535,
        () => "Must be a port from 1 to 65535, or 0 for any free port"
      ),
      Flag.withDescription(`Port on this machine; default: ${DEFAULT_PORT}`),
      Flag.withDefault(DEFAULT_PORT)
    ),
    type: Flag.Literals("type", eventTypes).pipe(
      Flag.withDescription("Only events of this type; repeat for several; default: all"),
      Flag.atLeast(0)
    ),
    secret: Flag.Redacted("secret").pipe(
      Flag.withFallbackConfig(Config.Redacted("EDP_WEBHOOK_SECRET")),
      Flag.withDescription(
        "Secret of an existing destination; default: EDP_WEBHOOK_SECRET, else a temporary destination is created"
      ),
      Flag.optional
    ),
    at: address("at", "Address where the service reaches this receiver, such as a tunnel; default: this machine")
  },
  Effect.fn("listen")(function* ({ at, forward, port, secret, type }) {
    const output = yield* Output
    yield* refuseCsv("edp listen")
    if (Option.isSome(secret) && (Option.isSome(at) || type.length > 0)) {
      return yield* usage("--at and --type are for a temporary destination: they can't be combined with --secret")
    }
    const known = yield* Deferred.make<string, never>()
    if (Option.isSome(secret)) yield* Deferred.succeed(known, yield* checkedSecret(secret.value))
    const handle = handleDelivery(Deferred.await(known), Option.getOrUndefined(forward), new Map())
    const here = `http://127.0.0.1:${yield* localReceiver(port, handle)}/`
    if (Option.isNone(secret)) {
      const made = yield* ownDestination(
        Option.getOrElse(at, () => here),
        type
      )
      yield* Deferred.succeed(known, made.secret)
      yield* output.note(`Signing secret: ${made.secret}`)
    }
    yield* output.note(`Listening on ${here}; press Ctrl-C to stop`)
    return yield* Effect.never
  }, Effect.scoped)
).pipe(
  Command.withDescription("Receive events on this machine: verify, show and forward them"),
  Command.withExamples([
    { command: "edp listen --type ALERT_CREATED" },
    { command: "edp listen --forward http://localhost:8080/hooks" },
    { command: "EDP_WEBHOOK_SECRET=whsec_… edp listen --port 9000" }
  ])
)
