import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Effect, Layer, Option, Random, Tracer } from "effect"
import { Headers, HttpBody, HttpMiddleware, HttpTraceContext, UrlParams } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { ServerConfig } from "../config/ServerConfig.ts"
import { operatorHttp } from "../outbound/containedClient.ts"

/** The version of package.json, which an installation need not contain. */
export const VERSION = "2.0.0"

/**
 * Samples traces by their root, because traces with gaps mislead. A request is sampled before it has a span, so its root span is in
 * the sample.
 */
const sampled = (inner: Tracer.Tracer, ratio: number, random: () => number): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      const isInSample = options.kind === "server" || random() < ratio
      return inner.span({ ...options, sampled: parent === undefined ? isInSample : parent.sampled })
    },
    context: inner.context
  })

/** Whether a request gets a span: as its `traceparent` says, otherwise for the configured share of requests. */
const isTraced = (headers: Headers.Headers, ratio: number, random: () => number) =>
  Option.match(HttpTraceContext.fromHeaders(headers), {
    onNone: () => random() < ratio,
    onSome: (caller) => caller.sampled
  })

/** The address of a person's link, or of a device that can send no password, is a secret, and a span contains the whole address. */
const isLink = (url: string) =>
  ["/connect/", "/enroll/", "/grid-notifications/", "/inbound/"].some((begin) => url.startsWith(begin))

/** Masks API keys that callers have put into URLs or messages. */
const Serialization = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, (json) => ({
    ...json,
    traces: (data) => HttpBody.text(maskKeys(JSON.stringify(data)), "application/json")
  }))
).pipe(Layer.provide(OtlpSerialization.layerJson))

// Values of a query may identify a person.
const NoQueryValues = Layer.succeed(UrlParams.CurrentRedactedNames, [/(?:)/])

/** Spans have the headers of requests. The proof of a session's writes is as secret as its cookie. */
const NoSecretHeaders = Layer.effect(
  Headers.CurrentRedactedNames,
  Effect.map(Headers.CurrentRedactedNames, (names) => [...names, "x-csrf-token"])
)

/** Exports traces of the configured share of requests over OTLP; none without an endpoint. */
export const TracesLive = Layer.unwrap(
  Effect.gen(function* () {
    const { otlpEndpoint, traceRatio } = yield* ServerConfig
    if (Option.isNone(otlpEndpoint)) return Layer.empty
    const generator = yield* Random.Random
    const random = () => generator.nextDoubleUnsafe()
    const exporter = OtlpTracer.layer({
      url: `${otlpEndpoint.value.replace(/\/$/, "")}/v1/traces`,
      resource: { serviceName: "edp", serviceVersion: VERSION }
    }).pipe(Layer.provide(Serialization), Layer.provide(operatorHttp))
    return Layer.effect(
      Tracer.Tracer,
      Effect.map(Tracer.Tracer, (inner) => sampled(inner, traceRatio, random))
    ).pipe(
      Layer.provide(exporter),
      Layer.merge(NoQueryValues),
      Layer.merge(NoSecretHeaders),
      Layer.merge(
        Layer.succeed(
          HttpMiddleware.TracerDisabledWhen,
          ({ headers, url }) => isLink(url) || !isTraced(headers, traceRatio, random)
        )
      )
    )
  })
)
