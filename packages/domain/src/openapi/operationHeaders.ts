import { Context } from "effect"
import { readsOne } from "../auth/ConditionalRead.ts"
import {
  AnswersSecret,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  IDEMPOTENCY_REPLAYED
} from "../auth/Idempotency.ts"
import { STORABLE_PATTERN } from "../shared/Text.ts"
import type { Json } from "./document.ts"

/** All headers of a request together have at most so many bytes. */
const HEADERS_LIMIT = 16_384

const idempotencyKey: Json = {
  name: IDEMPOTENCY_KEY,
  in: "header",
  description:
    "Names the request, so that sending it again has no second effect: a repetition within 24 hours by the same key, of the same path and body, is answered with the first answer. With another body it is `VALIDATION_ERROR`",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_LENGTH, pattern: STORABLE_PATTERN },
  example: "order-4711-site"
}

const ifNoneMatch: Json = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of an earlier answer, several, or `*`: 304 where one of them is still right",
  required: false,
  schema: { type: "string", maxLength: HEADERS_LIMIT, pattern: STORABLE_PATTERN },
  example: 'W/"Zm9vYmFyYmF6cXV4MTIzND"'
}

const answersWith = (response: Json, header: string): void => {
  response.headers = { ...response.headers, [header]: {} }
}

/** What the contract's middleware read from and write into the headers of an operation. */
export const describeHeaders = (
  operation: Json,
  endpoint: { readonly method: string; readonly path: string },
  annotations: Context.Context<never>
): void => {
  if (readsOne(endpoint)) {
    operation.parameters.push(ifNoneMatch)
    answersWith(operation.responses["200"], "ETag")
    operation.responses = { "200": operation.responses["200"], "304": {}, ...operation.responses }
    answersWith(operation.responses["304"], "ETag")
  }
  if (endpoint.method === "POST" && !Context.get(annotations, AnswersSecret)) {
    operation.parameters.push(idempotencyKey)
    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      if (status.startsWith("2")) answersWith(response, IDEMPOTENCY_REPLAYED)
    }
  }
}
