import { AdapterError, type AdapterFailure } from "@edp/adapter-kit/AdapterError"
import { boundedText, type HttpResponse, retryAfterHeader } from "@edp/adapter-kit/http/httpResponse"

/** The pause that a utility gets which asks for one without a time. */
const PAUSE = 300_000

const byStatus: Readonly<Record<number, AdapterFailure>> = {
  400: "refused",
  // The platform renews the token once; a permission that was withdrawn ends there.
  401: "token_refused",
  403: "scope_missing",
  404: "refused",
  410: "grant_lost",
  429: "throttled"
}

/** The error of a response that is no success. */
export const responseFailure = (
  { headers, status }: Pick<HttpResponse, "headers" | "status">,
  path: string,
  now: number
): AdapterError => {
  const retryAt = retryAfterHeader(headers["retry-after"], now)
  const isPause = status === 429 || (status === 503 && retryAt !== null)
  const failure = isPause ? "throttled" : (byStatus[status] ?? (status >= 500 ? "vendor_fault" : "contract"))
  return AdapterError.of(failure, `The utility answered ${path} with status ${status}`, {
    retryAt: isPause ? (retryAt ?? now + PAUSE) : null,
    upstream: {
      statusCode: status,
      errorCode: null,
      errorMessage: null,
      requestId: boundedText(headers["x-request-id"], 255)
    },
    intervention: failure === "scope_missing" ? "scope_missing" : failure === "grant_lost" ? "sign_in_again" : null
  })
}
