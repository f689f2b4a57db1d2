import { Cause, Predicate, Schema } from "effect"
import { HttpClientError } from "effect/http"
import { type ErrorCode, errorCodes } from "../errors/ErrorCode.ts"
import { schemaDetails } from "../errors/schemaDetails.ts"
import { UnexpectedAnswer } from "./answers.ts"

/**
 * Codes of the client's own: `NO_ANSWER`, the service was not reachable or the time was up; `UNEXPECTED_ANSWER`, an answer
 * that is none of the contract; `INVALID_REQUEST`, the request is not valid and was not sent.
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

/** What every call of the promise client rejects with, but for the reason of a signal that was aborted. */
export class EdpError extends Error {
  override readonly name = "EdpError"
  readonly code: ErrorCode | ClientCode
  /** The HTTP status; undefined where there was no answer. */
  readonly status: number | undefined
  /** Of VALIDATION_ERROR and INVALID_REQUEST: each offending field by its dotted path, with what is wrong with it. */
  readonly details: Readonly<Record<string, string>> | undefined
  /** Of RATE_LIMITED: seconds after which there is room again. */
  readonly retryAfter: number | undefined
  /** Of an answer that is none of the contract: by which the operator of the service finds the request. */
  readonly requestId: string | undefined
  /** The body of the service's error: some codes have fields of their own, such as `mismatchedFields`. */
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

/** The fields of an error's body: what the class of the code holds, but for what every Error has. */
const bodyOf = (error: object) =>
  Object.fromEntries(
    Object.entries(error).filter(([name]) => name !== "stack" && name !== "cause" && !name.startsWith("~"))
  )

const fromService = (error: { readonly code: ErrorCode; readonly message: string }) => {
  const { code, message } = error
  const body: Readonly<Record<string, unknown>> = { ...bodyOf(error), code, message }
  return new EdpError({
    code,
    message,
    status: errorCodes[code].status,
    details: body.details as Fields["details"],
    retryAfter: body.retryAfter as Fields["retryAfter"],
    body
  })
}

/** A failure of a call as the promise client tells it. */
export const edpError = (failure: unknown): unknown => {
  if (failure instanceof UnexpectedAnswer) {
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

/** Why a call came to nothing: its failure, or what nobody expected. */
export const rejectionOf = (cause: Cause.Cause<unknown>): unknown => edpError(Cause.squash(cause))
