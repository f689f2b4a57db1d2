import type { CreateConnection } from "@edp/domain/connections/ConnectSession"
import type { NewSession } from "../sessionRow.ts"

type Details = Readonly<Record<string, string>>

const required = "Is required in headless mode"
const complete = ["firstName", "lastName", "email", "location"] as const

/** One of: a customer, a customer and a site, complete information on a new customer. */
const personProblems = ({ customerId, siteId, customerInfo }: CreateConnection): Details => {
  if (customerId !== undefined) {
    return customerInfo === undefined ? {} : { customerInfo: "Must be absent with customerId in headless mode" }
  }
  if (siteId !== undefined) return { customerId: "Is required with siteId in headless mode" }
  if (customerInfo === undefined) return { customerInfo: `${required} without customerId` }
  const missing = complete.filter((name) => customerInfo[name] === undefined)
  return Object.fromEntries(missing.map((name) => [`customerInfo.${name}`, `${required} without customerId`]))
}

const distinct = (values: ReadonlyArray<string>) => [...new Set(values)]

/** The manufacturers that a session is limited to, each once; null for all. */
export const limitedTo = ({ manufacturerFilters }: CreateConnection) => {
  const given = manufacturerFilters?.manufacturers
  return given === undefined ? null : distinct(given)
}

/** The fields that headless mode requires, because there are no pages that could ask for them. */
const headlessProblems = (input: CreateConnection): Details => {
  const isAgain = input.reconnect !== undefined
  const named = limitedTo(input)
  return {
    ...(input.redirectUrl === undefined && { redirectUrl: required }),
    ...(named?.length !== 1 &&
      !(isAgain && named === null) && {
        "manufacturerFilters.manufacturers": "Must name exactly one manufacturer in headless mode"
      }),
    ...(!isAgain && personProblems(input))
  }
}

/** The account determines who is connected, and where. */
const reconnectProblems = (input: CreateConnection): Details => ({
  ...Object.fromEntries(
    (["customerId", "siteId", "customerInfo"] as const)
      .filter((name) => input[name] !== undefined)
      .map((name) => [name, "Must be absent with reconnect"])
  ),
  ...(input.additional === true && { additional: "Must be false or absent with reconnect" })
})

/** The fields of a new session that don't go together. */
export const newSessionProblems = (input: CreateConnection): Details => ({
  ...(input.reconnect !== undefined && reconnectProblems(input)),
  ...(input.mode === "headless" && headlessProblems(input))
})

type Begun = "status" | "live" | "transitions" | "expiresAt" | "createdAt" | "updatedAt"
type Later =
  | "consent"
  | "accountId"
  | "discovered"
  | "sealedInstructions"
  | "deviceIds"
  | "keyId"
  | "sealedKey"
  | "openedBy"
  | "linkedBy"
  | "lastError"
  | "removedAt"
  | "disconnectedAt"

/** A session that nobody has opened yet. */
export const pendingSession = (given: Omit<NewSession, Begun | Later>, at: Date, seconds: number): NewSession => ({
  ...given,
  status: "PENDING",
  consent: null,
  accountId: null,
  discovered: null,
  sealedInstructions: null,
  deviceIds: [],
  keyId: null,
  sealedKey: null,
  openedBy: [],
  linkedBy: null,
  transitions: [{ status: "PENDING", at: at.toISOString() }],
  lastError: null,
  live: true,
  expiresAt: new Date(at.getTime() + seconds * 1000),
  removedAt: null,
  disconnectedAt: null,
  createdAt: at,
  updatedAt: at
})
