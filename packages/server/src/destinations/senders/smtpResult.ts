import { type SendResult, shownBody, unanswered } from "./DestinationSender.ts"

/** What the library says of a mail that was not taken. */
export interface SmtpError {
  readonly message: string
  readonly code?: string | undefined
  /** The code of the socket's error that this one stands for. */
  readonly originalCode?: string | undefined
  /** Status of the relay's answer, when there was one. */
  readonly responseCode?: number | undefined
  readonly response?: string | undefined
  readonly permanent?: boolean | undefined
}

/** The mail itself was refused: its sender, its recipient or what it says. */
const ofTheMail = new Set(["EENVELOPE", "EMESSAGE"])

/** Of everything else callers learn no more than this: the relay is the operator's. */
const sentences: Readonly<Record<string, string>> = {
  EAUTH: "The mail relay refused the platform's login",
  ENOAUTH: "The mail relay refused the platform's login",
  ETLS: "The connection to the mail relay could not be encrypted",
  EDNS: "The mail relay could not be found",
  EENVELOPE: "The mail relay takes no such address",
  EMESSAGE: "The mail relay takes no such mail",
  ETIMEDOUT: "The mail relay did not answer in time"
}

/** Codes of certificates that are not trusted, and of handshakes that fail. */
const insecure = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/u

const answered = (response: string) => shownBody(Buffer.from(response))

/** What became of a mail that the relay took. */
export const takenMail = (response: string): SendResult => ({
  succeeded: true,
  gone: false,
  permanent: false,
  statusCode: Number(/^\d{3}/u.exec(response)?.[0] ?? 250),
  error: null,
  answer: answered(response),
  retryAfter: undefined
})

/**
 * What became of a mail that was not taken: refused for good where the relay says so of the mail itself (5xx), else to be tried
 * again, also where it refuses the platform.
 */
export const refusedMail = (error: SmtpError): SendResult => {
  const { code = "", originalCode = "", permanent = false, response = "", responseCode } = error
  if (ofTheMail.has(code) && responseCode !== undefined) {
    return {
      ...unanswered(`The mail relay answered ${responseCode}`),
      permanent,
      statusCode: responseCode,
      answer: answered(response)
    }
  }
  const kind = insecure.test(originalCode) || insecure.test(code) ? "ETLS" : code
  return unanswered(sentences[kind] ?? "The mail relay could not be reached")
}
