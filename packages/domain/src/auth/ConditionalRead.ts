import { HttpApiMiddleware } from "effect/http-api"

/**
 * Whether an endpoint reads one resource: a GET whose path ends in a parameter. Its answer carries a weak ETag, and
 * `If-None-Match` answers 304.
 */
export const readsOne = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === "GET" && /\/:\w+\/?$/.test(path)

/** Gives single resources an ETag, and answers 304 without a body to who has the resource as it is. */
export class ConditionalRead extends HttpApiMiddleware.Service<ConditionalRead>()("@edp/domain/ConditionalRead") {}
