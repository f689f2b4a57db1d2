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
import type { ListPage, UnexpectedAnswer } from "./answers.ts"

type Endpoint = HttpApiEndpoint.ConstraintRequest

/** What an endpoint takes: `params`, `query`, `payload` and `headers`, as far as it has them. */
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

/** What a call comes to; a list that has cursors comes to the same shape as every other. */
export type AnswerOf<E extends Endpoint> =
  E["~Success"] extends HttpApiSchema.WithHeaders<infer Body, infer _Headers>
    ? Body["Type"] extends { readonly data: ReadonlyArray<infer A> }
      ? ListPage<A>
      : Body["Type"]
    : HttpApiClient.SuccessType<E["~Success"]>

type FailureOf<E extends Endpoint> =
  | E["~Error"]["Type"]
  | HttpApiMiddleware.Error<E["~Middleware"]>
  | HttpApiMiddleware.ClientError<E["~Middleware"]>
  | HttpClientError.HttpClientError
  | Schema.SchemaError
  | UnexpectedAnswer

/** An endpoint as an Effect. */
export type EffectCall<E extends Endpoint> = (request: RequestOf<E>) => Effect.Effect<AnswerOf<E>, FailureOf<E>>

/** What a promise client's call may be told besides. */
export interface CallOptions {
  /** Ends the call, and what it waits for, when it is aborted. */
  readonly signal?: AbortSignal | undefined
  /** Of a POST: instead of one that is made for it. The same one sent again within 24 hours does nothing more. */
  readonly idempotencyKey?: string | undefined
}

/** Parts whose fields are all optional may be left out. */
type Lenient<R> = { readonly [K in keyof R as {} extends R[K] ? never : K]: R[K] } & {
  readonly [K in keyof R as {} extends R[K] ? K : never]?: R[K]
}

/** An endpoint as a promise. */
export type PromiseCall<E extends Endpoint> =
  Lenient<Exclude<RequestOf<E>, void>> extends infer R
    ? {} extends R
      ? (request?: R, options?: CallOptions) => Promise<AnswerOf<E>>
      : (request: R, options?: CallOptions) => Promise<AnswerOf<E>>
    : never

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
