import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Cause, Predicate, Schema } from "effect"
import { HttpClientError } from "effect/http"

/** The session may not do this any more: it needs a new sign-in. */
export class SignInNeeded extends Error {}

/** The service did not respond in time. */
export class NoResponse extends Error {}

/** A failed request, as the page explains it. */
export type Problem =
  /** No response: the service is away, or the network is. */
  | { readonly kind: "unreachable" }
  /** The session has ended. */
  | { readonly kind: "signed-out" }
  /** The act needs a sign-in of the last minutes. */
  | { readonly kind: "sign-in-again" }
  /** Too many requests. */
  | { readonly kind: "rate-limited"; readonly retryAfterSeconds: number | null }
  /** A response of the service with its code, and the fields that it refused. */
  | {
      readonly kind: "refused"
      readonly code: string
      readonly message: string
      readonly details: Readonly<Record<string, string>>
    }
  /** The service, or a proxy before it, failed. */
  | { readonly kind: "failed"; readonly status: number; readonly requestId: string | null }
  /** A response that the contract does not have, or a defect of the page. */
  | { readonly kind: "unexpected"; readonly message: string; readonly requestId: string | null }

const text = (value: unknown, field: string) =>
  Predicate.hasProperty(value, field) && typeof value[field] === "string" ? value[field] : undefined

const detailMessages = (error: unknown): Readonly<Record<string, string>> => {
  if (!Predicate.hasProperty(error, "details") || typeof error.details !== "object" || error.details === null) return {}
  return Object.fromEntries(Object.entries(error.details).map(([field, value]) => [field, String(value)]))
}

/** Explains the error of a request. */
export const problemFrom = (error: unknown): Problem => {
  if (HttpClientError.isHttpClientError(error) || error instanceof NoResponse) return { kind: "unreachable" }
  if (error instanceof SignInNeeded) return { kind: "sign-in-again" }
  // The contract refused the request before it was sent; a refused response is an `UnexpectedResponse`.
  if (Schema.isSchemaError(error)) {
    return {
      kind: "refused",
      code: "VALIDATION_ERROR",
      message: "The request is not valid",
      details: schemaDetails(error, "body")
    }
  }
  const code = text(error, "code")
  const message = text(error, "message") ?? String(error)
  const status = Predicate.hasProperty(error, "status") ? Number(error.status) : 0
  if (status >= 500) return { kind: "failed", status, requestId: text(error, "requestId") ?? null }
  if (code === undefined) return { kind: "unexpected", message, requestId: text(error, "requestId") ?? null }
  if (code === "UNAUTHENTICATED") return { kind: "signed-out" }
  if (code === "RATE_LIMITED") {
    const seconds = Predicate.hasProperty(error, "retryAfter") ? Number(error.retryAfter) : Number.NaN
    return { kind: "rate-limited", retryAfterSeconds: Number.isFinite(seconds) ? seconds : null }
  }
  return { kind: "refused", code, message, details: detailMessages(error) }
}

/** Explains the failure of a query. */
export const problemFromCause = (cause: Cause.Cause<unknown>): Problem => problemFrom(Cause.squash(cause))

/** Whether the record that a request named does not exist, or not in the chosen workspace. */
export const isMissing = (problem: Problem): boolean =>
  problem.kind === "refused" && (problem.code === "NOT_FOUND" || problem.code.endsWith("_NOT_FOUND"))
