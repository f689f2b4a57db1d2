import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Effect, Layer, Option, Random, Tracer } from "effect"
import { FetchHttpClient, HttpBody, UrlParams } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { ServerConfig } from "../config/ServerConfig.ts"

/** The version that runs, as in package.json, which an installation need not have. */
export const VERSION = "1.0.0"

// The head decides for the whole trace: a trace with holes tells lies.
const sampled = (inner: Tracer.Tracer, ratio: number, random: () => number): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      return inner.span({ ...options, sampled: parent === undefined ? random() < ratio : parent.sampled })
    },
    context: inner.context
  })

/** Addresses and messages go out as they were, but for a key that somebody put into one. */
const Serialization = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, (json) => ({
    ...json,
    traces: (data) => HttpBody.text(maskKeys(JSON.stringify(data)), "application/json")
  }))
).pipe(Layer.provide(OtlpSerialization.layerJson))

// What stands in a query may identify a person.
const NoQueryValues = Layer.succeed(UrlParams.CurrentRedactedNames, [/(?:)/])

/** Traces over OTLP, of the share of requests that is configured; none without an endpoint. */
export const TracesLive = Layer.unwrap(
  Effect.gen(function* () {
    const { otlpEndpoint, traceRatio } = yield* ServerConfig
    if (Option.isNone(otlpEndpoint)) return Layer.empty
    const random = yield* Random.Random
    const exporter = OtlpTracer.layer({
      url: `${otlpEndpoint.value.replace(/\/$/, "")}/v1/traces`,
      resource: { serviceName: "edp", serviceVersion: VERSION }
    }).pipe(Layer.provide(Serialization), Layer.provide(FetchHttpClient.layer))
    return Layer.effect(
      Tracer.Tracer,
      Effect.map(Tracer.Tracer, (inner) => sampled(inner, traceRatio, () => random.nextDoubleUnsafe()))
    ).pipe(Layer.provide(exporter), Layer.merge(NoQueryValues))
  })
)
