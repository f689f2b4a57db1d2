import { randomBytes } from "node:crypto"
import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Effect, Layer, Option, Random, Tracer } from "effect"
import { FetchHttpClient, HttpBody, UrlParams } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { ServerConfig } from "../config/ServerConfig.ts"

/** The version of package.json, which an installation need not contain. */
export const VERSION = "1.0.0"

const noAttributes: ReadonlyMap<string, unknown> = new Map()
const nothing = () => {}

/** A span that is not exported. Most requests have only such spans, so they record nothing; their ids are made on demand. */
class UnsampledSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = false
  readonly attributes = noAttributes
  readonly name: string
  readonly parent: Tracer.Span["parent"]
  readonly annotations: Tracer.Span["annotations"]
  readonly links: Tracer.Span["links"]
  readonly kind: Tracer.SpanKind
  readonly status: Tracer.SpanStatus
  private ids: { readonly traceId: string; readonly spanId: string } | undefined
  readonly attribute = nothing
  readonly event = nothing
  readonly addLinks = nothing
  readonly end = nothing

  constructor({ annotations, kind, links, name, parent, startTime }: Parameters<Tracer.Tracer["span"]>[0]) {
    this.name = name
    this.parent = parent
    this.annotations = annotations
    this.links = links
    this.kind = kind
    this.status = { _tag: "Started", startTime }
  }

  get traceId(): string {
    return this.known.traceId
  }

  get spanId(): string {
    return this.known.spanId
  }

  private get known() {
    const parent = Option.getOrUndefined(this.parent)
    this.ids ??= {
      traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
      spanId: randomBytes(8).toString("hex")
    }
    return this.ids
  }
}

// The root span decides for the whole trace: traces with gaps mislead.
const sampled = (inner: Tracer.Tracer, ratio: number, random: () => number): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      const isSampled = parent === undefined ? random() < ratio : parent.sampled
      return isSampled ? inner.span({ ...options, sampled: true }) : new UnsampledSpan(options)
    },
    context: inner.context
  })

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

/** Exports traces of the configured share of requests over OTLP; none without an endpoint. */
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
