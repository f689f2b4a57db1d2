import { Cause, Predicate, Schema } from "effect"
import { HttpClientError } from "effect/http"
import { type ErrorCode, errorCodes } from "../errors/ErrorCode.ts"
import { schemaDetails } from "../errors/schemaDetails.ts"
import { UnexpectedResponse } from "./responses.ts"

/**
 * Codes of the client itself: `NO_ANSWER`, the service was not reachable or did not respond in time; `UNEXPECTED_ANSWER`, the
 * response does not follow the contract; `INVALID_REQUEST`, the request is invalid and was not sent.
 */
export type ClientCode = "NO_ANSWER" | "UNEXPECTED_ANSWER" | "INVALID_REQUEST"

interface Fields {
  readonly code: ErrorCode | ClientCode
  readonly message: string
  readonly status?: number | undefined
  readonly details?: Readonly<Record<string, string>> | undefined
  readonly retryAfter?: number | undefined
  readonly requestId?: string | undefined
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/** The rejection of every call of the promise client, unless its signal was aborted. */
export class EdpError extends Error {
  override readonly name = "EdpError"
  readonly code: ErrorCode | ClientCode
  /** HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  /** For VALIDATION_ERROR and INVALID_REQUEST: a message for each invalid field, by its dotted path. */
  readonly details: Readonly<Record<string, string>> | undefined
  /** For RATE_LIMITED: seconds until the rate window resets. */
  readonly retryAfter: number | undefined
  /** For UNEXPECTED_ANSWER: the request id, by which the operator of the service finds the request. */
  readonly requestId: string | undefined
  /** The body of the error response: some codes have further fields, such as `mismatchedFields`. */
  readonly body: Readonly<Record<string, unknown>> | undefined

  constructor({ message, cause, ...fields }: Fields) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = fields.code
    this.status = fields.status
    this.details = fields.details
    this.retryAfter = fields.retryAfter
    this.requestId = fields.requestId
    this.body = fields.body
  }
}

const isCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(errorCodes, code)

/** The fields of an error's body: the properties of its class without those of Error. */
const errorBody = (error: object) =>
  Object.fromEntries(
    Object.entries(error).filter(([name]) => name !== "stack" && name !== "cause" && !name.startsWith("~"))
  )

const fromService = (error: { readonly code: ErrorCode; readonly message: string }) => {
  const { code, message } = error
  const body: Readonly<Record<string, unknown>> = { ...errorBody(error), code, message }
  return new EdpError({
    code,
    message,
    status: errorCodes[code].status,
    details: body.details as Fields["details"],
    retryAfter: body.retryAfter as Fields["retryAfter"],
    body
  })
}

/** The failure of a call as an EdpError. */
export const edpError = (failure: unknown): unknown => {
  if (failure instanceof UnexpectedResponse) {
    const { message, requestId, status } = failure
    return new EdpError({ code: "UNEXPECTED_ANSWER", message, status, requestId, cause: failure })
  }
  if (Schema.isSchemaError(failure)) {
    const details = { ...schemaDetails(failure, "request") }
    const message = Object.entries(details)
      .map(([field, sentence]) => `${field}: ${sentence}`)
      .join("; ")
    return new EdpError({ code: "INVALID_REQUEST", message, details, cause: failure })
  }
  if (HttpClientError.isHttpClientError(failure)) {
    return new EdpError({ code: "NO_ANSWER", message: failure.message, cause: failure })
  }
  if (Predicate.hasProperty(failure, "code") && isCode(failure.code)) {
    return fromService(failure as unknown as { readonly code: ErrorCode; readonly message: string })
  }
  return failure
}

/** The rejection for a cause: its failure, or its defect. */
export const toRejection = (cause: Cause.Cause<unknown>): unknown => edpError(Cause.squash(cause))
