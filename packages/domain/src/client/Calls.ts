import type { Effect, Schema } from "effect"
import type { HttpClientError } from "effect/http"
import type {
  HttpApi,
  HttpApiClient,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema
} from "effect/http-api"
import type { ListPage, NumberedPage, UnexpectedResponse } from "./responses.ts"

type Endpoint = HttpApiEndpoint.ConstraintRequest

/** The request of an endpoint, with those of `params`, `query`, `payload` and `headers` that the endpoint takes. */
export type RequestOf<E extends Endpoint> = [E["~Params"]["Type"], E["~Query"]["Type"], E["~Payload"]["Type"]] extends [
  never,
  never,
  never
]
  ? void | object
  : Omit<
      Exclude<
        HttpApiEndpoint.ClientRequest<E["~Params"], E["~Query"], E["~Payload"], E["~Headers"], "decoded-only">,
        void
      >,
      "responseMode" | "sseOptions"
    >

type BodyOf<E extends Endpoint> =
  E["~Success"] extends HttpApiSchema.WithHeaders<infer Body, infer _Headers>
    ? Body["Type"]
    : HttpApiClient.SuccessType<E["~Success"]>

/** The response of a call. All lists have one shape. */
export type ResponseOf<E extends Endpoint> =
  BodyOf<E> extends infer Body
    ? Body extends { readonly data: ReadonlyArray<infer A>; readonly perPage: number }
      ? Body extends { readonly totalItems: number }
        ? NumberedPage<A>
        : ListPage<A>
      : Body
    : never

type FailureOf<E extends Endpoint> =
  | E["~Error"]["Type"]
  | HttpApiMiddleware.Error<E["~Middleware"]>
  | HttpApiMiddleware.ClientError<E["~Middleware"]>
  | HttpClientError.HttpClientError
  | Schema.SchemaError
  | UnexpectedResponse

/** A request for the CSV form of a response. */
interface AsCsv {
  readonly headers: { readonly accept: "text/csv" }
}

/** A request for the JSON form of a response. */
interface AsJson {
  readonly headers: { readonly accept?: "application/json" }
}

/** The requests for either form of a response that can be CSV or JSON. */
type CsvRequest<R> = Omit<R, "headers"> & AsCsv
type JsonRequest<R> = Omit<R, "headers"> & AsJson

type HasCsv<E extends Endpoint> = [Extract<ResponseOf<E>, string>] extends [never] ? false : true

/** An endpoint as an Effect. */
export type EffectCall<E extends Endpoint> =
  HasCsv<E> extends true
    ? {
        (request: CsvRequest<RequestOf<E>>): Effect.Effect<Extract<ResponseOf<E>, string>, FailureOf<E>>
        (request: JsonRequest<RequestOf<E>>): Effect.Effect<Exclude<ResponseOf<E>, string>, FailureOf<E>>
      }
    : (request: RequestOf<E>) => Effect.Effect<ResponseOf<E>, FailureOf<E>>

/** Options of one call of the promise client. */
export interface CallOptions {
  /** Aborts the call, including a wait before a retry. */
  readonly signal?: AbortSignal | undefined
  /** The Idempotency-Key of a POST, in place of a generated one. A repetition within 24 hours has no further effect. */
  readonly idempotencyKey?: string | undefined
}

/** Parts whose fields are all optional may be left out. */
type Lenient<R> = { readonly [K in keyof R as {} extends R[K] ? never : K]: R[K] } & {
  readonly [K in keyof R as {} extends R[K] ? K : never]?: R[K]
}

type Promised<R, A> =
  Lenient<R> extends infer L
    ? {} extends L
      ? (request?: L, options?: CallOptions) => Promise<A>
      : (request: L, options?: CallOptions) => Promise<A>
    : never

/** An endpoint as a promise. */
export type PromiseCall<E extends Endpoint> =
  HasCsv<E> extends true
    ? Promised<CsvRequest<RequestOf<E>>, Extract<ResponseOf<E>, string>> &
        Promised<JsonRequest<RequestOf<E>>, Exclude<ResponseOf<E>, string>>
    : Promised<Exclude<RequestOf<E>, void>, ResponseOf<E>>

type EndpointsOf<Group extends HttpApiGroup.Constraint> = Group["endpoints"] extends infer Endpoints extends Readonly<
  Record<string, Endpoint>
>
  ? Endpoints
  : {}

type GroupsOf<Api extends HttpApi.Constraint> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never

export type EffectCalls<Api extends HttpApi.Constraint> = {
  readonly [Group in GroupsOf<Api> as HttpApiGroup.Identifier<Group>]: {
    readonly [Name in keyof EndpointsOf<Group>]: EndpointsOf<Group>[Name] extends infer E extends Endpoint
      ? EffectCall<E>
      : never
  }
}

export type PromiseCalls<Api extends HttpApi.Constraint> = {
  readonly [Group in GroupsOf<Api> as HttpApiGroup.Identifier<Group>]: {
    readonly [Name in keyof EndpointsOf<Group>]: EndpointsOf<Group>[Name] extends infer E extends Endpoint
      ? PromiseCall<E>
      : never
  }
}
