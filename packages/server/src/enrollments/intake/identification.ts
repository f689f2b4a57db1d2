import type {
  AcceptedTerms,
  CheckEligibility,
  CreateEnrollment,
  EnrollmentCustomerInfo
} from "@edp/domain/enrollments/Enrollment"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"

type Details = Readonly<Record<string, string>>

/** The person who is enrolled, and where. */
export interface Person {
  readonly customerId: string | undefined
  readonly info: EnrollmentCustomerInfo | undefined
  readonly siteId: string | null
}

/** The invalid fields of how a person is identified; empty if there are none. */
export const identificationDetails = (input: CheckEligibility): Details => {
  const { customerId, customerInfo, identificationType, siteId } = input
  const isById = identificationType === "customerId"
  return {
    ...(isById && customerId === undefined && { customerId: "Is required with identificationType customerId" }),
    ...(isById && customerInfo !== undefined && { customerInfo: "Must be absent with identificationType customerId" }),
    ...(!isById && customerInfo === undefined && { customerInfo: "Is required with identificationType customerInfo" }),
    ...(!isById && customerId !== undefined && { customerId: "Must be absent with identificationType customerInfo" }),
    ...(customerInfo?.location !== undefined &&
      siteId != null && { siteId: "Must be absent with customerInfo.location" })
  }
}

export const toPerson = ({ customerId, customerInfo, siteId }: CheckEligibility): Person => ({
  customerId,
  info: customerInfo,
  siteId: siteId ?? null
})

type GivenTerms = CreateEnrollment["acceptedTerms"]

/** The invalid fields of accepted terms; empty if there are none. */
export const termsDetails = (terms: GivenTerms, version: number, now: number): Details => {
  if (terms === undefined || terms === null) return {}
  const at = terms.acceptedAt === undefined ? now : parseTimestamp(terms.acceptedAt)!
  return {
    ...(terms.version !== version && {
      "acceptedTerms.version": `Must be ${version}, the version of the program instance's terms`
    }),
    ...(at > now && { "acceptedTerms.acceptedAt": "Must not be in the future" })
  }
}

export const toAcceptedTerms = (terms: GivenTerms, now: number): AcceptedTerms | null => {
  if (terms === undefined || terms === null) return null
  const at = terms.acceptedAt === undefined ? now : parseTimestamp(terms.acceptedAt)!
  return { version: terms.version, acceptedAt: new Date(at).toISOString() }
}
