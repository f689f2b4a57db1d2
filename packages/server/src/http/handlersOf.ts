import { Effect, type Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { leanly } from "./leanly.ts"

type Build = (handlers: never) => Effect.Effect<unknown, unknown, unknown>

/** `HttpApiBuilder.group` for handlers that an effect builds: it is all that gets services of ours. */
export const handlersOf = ((api: never, group: never, build: Build) =>
  leanly((ours) =>
    HttpApiBuilder.group(api, group, ((handlers: never) => Effect.provideContext(build(handlers), ours)) as never)
  ) as Layer.Layer<never>) as unknown as typeof HttpApiBuilder.group
