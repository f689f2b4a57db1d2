import { Data } from "effect"

const titles = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable"
} as const

export type ProblemStatus = keyof typeof titles

/** An error as OpenADR describes it: RFC 7807, in JSON. */
export interface Problem {
  readonly title: string
  readonly status: number
  readonly detail: string
}

export const toProblem = (status: ProblemStatus, detail: string): Problem => ({ title: titles[status], status, detail })

/** A request that the OpenADR server refuses. */
export class VtnRefusal extends Data.TaggedError("VtnRefusal")<{
  readonly status: ProblemStatus
  readonly detail: string
}> {}

export const refusal = (status: ProblemStatus, detail: string) => new VtnRefusal({ status, detail })

/** Names each field with what it takes. */
export const invalidFields = (details: Readonly<Record<string, string>>) =>
  refusal(
    400,
    Object.entries(details)
      .map(([field, sentence]) => `${field}: ${sentence}`)
      .join("; ")
  )
