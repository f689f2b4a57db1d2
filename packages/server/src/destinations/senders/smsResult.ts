import type { OutboundAnswer } from "../../platform/outbound/OutboundHttp.ts"
import { askedPause } from "../retrySchedule.ts"
import type { SendResult } from "./DestinationSender.ts"
import { shownBody, unanswered } from "./sendResults.ts"

/**
 * Refusals of this message to this number that no later try changes.
 *
 * @source https://www.twilio.com/docs/api/errors
 */
const ofTheNumber = new Map([
  [21211, "the number does not exist"],
  [21217, "the number does not exist"],
  [21265, "the number cannot be a short code"],
  [21408, "messages to the number's region are not permitted"],
  [21610, "the number's owner has unsubscribed"],
  [21612, "the number cannot be reached"],
  [21614, "the number takes no text messages"],
  [21617, "the message is too long"],
  [21635, "the number is a landline"],
  [60205, "the number takes no text messages"]
])

interface Said {
  readonly code?: unknown
  readonly message?: unknown
  readonly sid?: unknown
  readonly status?: unknown
}

const parsed = (body: Uint8Array): Said => {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"))
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Of an answer what concerns the message: the rest tells of the operator's account. */
const shownParts = (said: Said, succeeded: boolean) => {
  const parts = succeeded ? { sid: said.sid, status: said.status } : { code: said.code, message: said.message }
  const text = JSON.stringify(parts)
  return text === "{}" ? null : shownBody(Buffer.from(text))
}

/** The gateway's view of the platform itself: its login, its account or its sender. */
const ofThePlatform = (status: number) => status === 401 || status === 403 || status === 404

/** What the gateway's answer makes of a message. */
export const smsResult = ({ status, headers, body }: OutboundAnswer, now: number): SendResult => {
  const said = parsed(body)
  const succeeded = status >= 200 && status < 300
  if (succeeded)
    return { ...unanswered(""), succeeded, statusCode: status, error: null, answer: shownParts(said, true) }
  if (ofThePlatform(status)) {
    return { ...unanswered("The SMS gateway refused the platform's login or account"), statusCode: status }
  }
  const code = typeof said.code === "number" ? said.code : undefined
  const reason = code === undefined ? undefined : ofTheNumber.get(code)
  return {
    ...unanswered(
      code === undefined
        ? `The SMS gateway answered ${status}`
        : `The SMS gateway answered ${status}, code ${code}${reason === undefined ? "" : `: ${reason}`}`
    ),
    permanent: status === 400 && reason !== undefined,
    statusCode: status,
    answer: shownParts(said, false),
    retryAfter: askedPause(headers["retry-after"], now)
  }
}
