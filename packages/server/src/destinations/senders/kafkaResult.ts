import { findErrorBy, MultipleErrors } from "@platformatic/kafka"
import { NOT_CALLED, PrivateAddress } from "../../platform/outbound/publicLookup.ts"
import type { SendResult } from "./DestinationSender.ts"
import { unanswered } from "./sendResults.ts"

/** Errors of the protocol that say of the message itself that the topic does not take it. */
const ofTheMessage = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD"]

const inner = (error: Error): ReadonlyArray<Error> => {
  if (error instanceof AggregateError) return error.errors as ReadonlyArray<Error>
  return error.cause instanceof Error ? [error.cause] : []
}

const isNotCalled = (error: Error) =>
  error instanceof PrivateAddress || (error as NodeJS.ErrnoException).syscall === "getaddrinfo"

/** The messages of an error and of what caused it, each once. */
const sentences = (error: Error, deep = 0): ReadonlyArray<string> => [
  ...(error instanceof MultipleErrors ? [] : [isNotCalled(error) ? NOT_CALLED : error.message]),
  ...(deep < 5 ? inner(error).flatMap((each) => sentences(each, deep + 1)) : [])
]

/** What became of an event that the cluster did not take. */
export const kafkaFailure = (error: unknown): SendResult => {
  if (!(error instanceof Error)) return unanswered("The cluster could not be reached")
  const [first, ...others] = [...new Set(sentences(error).filter((text) => text !== ""))]
  return {
    ...unanswered([first ?? error.message, ...others.slice(0, 3)].join(" ").slice(0, 500)),
    permanent: ofTheMessage.some((id) => findErrorBy(error, "apiId", id) !== null)
  }
}
