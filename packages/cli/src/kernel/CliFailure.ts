import { UnexpectedResponse } from "@edp/domain/client/responses"
import { Data, Predicate, Schema, SchemaIssue } from "effect"
import { HttpClientError } from "effect/http"

/** An error of the tool itself: a stable code, one sentence, and detail lines with advice. */
export class CliFailure extends Data.TaggedError("CliFailure")<{
  readonly code: string
  readonly message: string
  readonly details?: ReadonlyArray<string>
  /** 1: the request or the input is wrong; 2: the command line is. */
  readonly exitCode?: 1 | 2
}> {}

export const usage = (message: string, ...details: ReadonlyArray<string>) =>
  new CliFailure({ code: "USAGE", message, details, exitCode: 2 })

export interface FailureText {
  readonly code: string
  readonly message: string
  readonly details: ReadonlyArray<string>
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

const issueLines = (error: Schema.SchemaError) =>
  formatIssue(error.issue).issues.map(({ message, path }) => {
    const field = (path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".")
    return field === "" ? message : `${field}: ${message}`
  })

const unreachable = (error: HttpClientError.HttpClientError): FailureText => {
  const { cause, description, request } = error.reason
  const reason = systemCode(cause) ?? description ?? "no response"
  return {
    code: "UNREACHABLE",
    message: `${new URL(request.url).origin} does not respond (${reason})`,
    details: ["Is the service running there? Name another address with --url or EDP_URL."]
  }
}

/** The operating system's code, such as ECONNREFUSED, which is nested in causes. */
const systemCode = (cause: unknown): string | undefined => {
  if (!Predicate.hasProperty(cause, "cause") && !Predicate.hasProperty(cause, "code")) return undefined
  if (Predicate.hasProperty(cause, "code") && typeof cause.code === "string") return cause.code
  return Predicate.hasProperty(cause, "cause") ? systemCode(cause.cause) : undefined
}

const unexpected = (response: UnexpectedResponse): FailureText => ({
  code: "UNEXPECTED_ANSWER",
  message: response.message,
  details: [
    ...(Schema.isSchemaError(response.cause) ? issueLines(response.cause).slice(0, 5) : []),
    ...(response.requestId === undefined ? [] : [`request ${response.requestId}`]),
    "Is it the address of an Energy Device Platform of this version?"
  ]
})

/** The details of an error body. */
const bodyDetails = (error: object): ReadonlyArray<string> => {
  if (Predicate.hasProperty(error, "details") && Predicate.isObject(error.details)) {
    return Object.entries(error.details).map(([field, problem]) => `${field}: ${problem}`)
  }
  if (Predicate.hasProperty(error, "mismatchedFields") && Array.isArray(error.mismatchedFields)) {
    return [`differs in ${error.mismatchedFields.join(", ")}`]
  }
  if (Predicate.hasProperty(error, "retryAfter")) return [`try again in ${String(error.retryAfter)} s`]
  return []
}

const isBody = (error: unknown): error is { readonly code: string; readonly message: string } =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" && Predicate.hasProperty(error, "message")

/** Describes any failure, without stack traces and without requests, which contain the key. */
export const describeFailure = (error: unknown): FailureText => {
  if (error instanceof CliFailure) return { code: error.code, message: error.message, details: error.details ?? [] }
  if (HttpClientError.isHttpClientError(error)) return unreachable(error)
  if (error instanceof UnexpectedResponse) return unexpected(error)
  if (Schema.isSchemaError(error)) {
    return { code: "VALIDATION_ERROR", message: "The request is not valid", details: issueLines(error) }
  }
  if (isBody(error)) return { code: error.code, message: error.message, details: bodyDetails(error) }
  return { code: "INTERNAL", message: error instanceof Error ? error.message : String(error), details: [] }
}

export const failureLines = ({ code, details, message }: FailureText): ReadonlyArray<string> => [
  `${code}: ${message}`,
  ...details.map((line) => `  ${line}`)
]
