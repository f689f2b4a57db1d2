import { CreateEnrollment } from "@edp/domain/enrollments/Enrollment"
import type { BulkFailure } from "@edp/domain/errors/Bulk"
import { Text } from "@edp/domain/shared/Text"
import { Effect, Schema } from "effect"
import { Connection } from "../kernel/Connection.ts"
import { CliFailure } from "../kernel/CliFailure.ts"
import { findInstance } from "../kernel/find.ts"
import { type FoundReference, findReferences } from "./findReferences.ts"
import type { CsvColumn, ImportKind } from "./ImportKind.ts"
import { RETRIES, described, findWorkspace, listCell, numberCell, textCell } from "./importKinds.ts"

const flagCell = (...path: CsvColumn["path"]): CsvColumn => ({
  path,
  read: (text) => (/^(true|false)$/iu.test(text) ? text.toLowerCase() === "true" : text)
})

const { identificationType: _, ...fields } = CreateEnrollment.fields

const namings = ["customerId", "customerReferenceId", "customerInfo"] as const

const oneNaming = "Must name the person by one of customerId, customerReferenceId and customerInfo"

/** A person by their id or reference, or a new one. */
const ImportEnrollment = Schema.Struct({
  ...fields,
  customerReferenceId: Schema.optionalKey(Text(1, 1000)),
  siteReferenceId: Schema.optionalKey(Text(1, 1000))
}).check(
  Schema.makeFilter((row) => namings.filter((name) => row[name] !== undefined).length === 1, { message: oneNaming })
)
type ImportEnrollment = typeof ImportEnrollment.Type

/** Statuses of enrollments that have not ended. */
const live = ["candidate", "eligible", "submitted", "approved"] as const

const connect = (instanceName: string) =>
  Effect.fn("enrollments.import.connect")(function* ({ lookUp }: { readonly lookUp: boolean }) {
    const connection = yield* Connection
    const client = yield* connection.clientFor("enrollments", "createMany", { retries: RETRIES })
    // The first call is not retried, so that an unreachable service fails at once.
    const workspaceId = yield* findWorkspace(yield* connection.clientFor("enrollments", "createMany"))
    const instance = yield* described(findInstance(instanceName))
    if (instance.status !== "ACTIVE") {
      return yield* new CliFailure({
        code: "INVALID_STATE",
        message: `The program instance ${instance.slug} is ${instance.status}: it takes no enrollments`
      })
    }
    const params = { id: instance.id }
    const references = yield* findReferences(client)

    const findCustomer = ({ customerId, customerReferenceId }: ImportEnrollment) =>
      customerReferenceId === undefined
        ? Effect.succeed<FoundReference>({ id: customerId })
        : references.customer(customerReferenceId)
    const findSite = ({ siteId, siteReferenceId }: ImportEnrollment) =>
      siteReferenceId === undefined
        ? Effect.succeed<FoundReference>({ id: siteId ?? undefined })
        : references.site(siteReferenceId)

    const enrolledBefore = (
      query: { readonly referenceId: readonly [string] } | { readonly customerId: readonly [string] }
    ) =>
      described(client.enrollments.list({ params, query: { ...query, status: live, perPage: 1 } })).pipe(
        Effect.map(({ data }) => data[0]?.id)
      )

    const prepare = Effect.fnUntraced(function* (row: ImportEnrollment) {
      const { customerReferenceId: _, siteReferenceId: __, ...enrollment } = row
      const [customer, site] = [yield* findCustomer(row), yield* findSite(row)]
      const problem = customer.problem ?? site.problem
      if (problem !== undefined) return { problem }
      if (lookUp && typeof row.referenceId === "string") {
        const known = yield* enrolledBefore({ referenceId: [row.referenceId] })
        if (known !== undefined) return { exists: known }
      }
      return {
        send: {
          ...enrollment,
          identificationType: row.customerInfo === undefined ? "customerId" : "customerInfo",
          ...(customer.id !== undefined && { customerId: customer.id }),
          ...(site.id !== undefined && { siteId: site.id })
        }
      }
    })

    const createMany = (enrollments: ReadonlyArray<object>) =>
      described(
        client.enrollments.createMany({ params, payload: { enrollments: enrollments as ReadonlyArray<never> } })
      ).pipe(
        Effect.map(({ results }) =>
          results.map((result) =>
            result.status === "created"
              ? { index: result.index, status: result.status, id: result.enrollment.id }
              : result
          )
        )
      )

    const findPerson = Effect.fnUntraced(function* (row: ImportEnrollment) {
      if (row.customerInfo === undefined) return (yield* findCustomer(row)).id
      const { email } = row.customerInfo
      const { data } = yield* described(client.customers.list({ query: { email, perPage: 1 } }))
      return data[0]?.id
    })

    /** INVALID_STATE has several reasons; one is a live enrollment of the person. */
    const existing = Effect.fnUntraced(function* (row: ImportEnrollment, { code }: BulkFailure) {
      if (code !== "INVALID_STATE") return undefined
      const customerId = yield* findPerson(row)
      return customerId === undefined ? undefined : yield* enrolledBefore({ customerId: [customerId] })
    })

    return { workspaceId, programInstanceId: instance.id, prepare, createMany, existing }
  })

const columns: ImportKind<ImportEnrollment>["columns"] = {
  customerReferenceId: textCell("customerReferenceId"),
  customerId: textCell("customerId"),
  firstName: textCell("customerInfo", "firstName"),
  lastName: textCell("customerInfo", "lastName"),
  email: textCell("customerInfo", "email"),
  phone: textCell("customerInfo", "phone"),
  streetOne: textCell("customerInfo", "location", "streetOne"),
  streetTwo: textCell("customerInfo", "location", "streetTwo"),
  city: textCell("customerInfo", "location", "city"),
  state: textCell("customerInfo", "location", "state"),
  postalCode: textCell("customerInfo", "location", "postalCode"),
  country: textCell("customerInfo", "location", "country"),
  siteReferenceId: textCell("siteReferenceId"),
  siteId: textCell("siteId"),
  manufacturerSlugs: listCell("manufacturerSlugs"),
  serialNumber: textCell("serialNumber"),
  referenceId: textCell("referenceId"),
  referenceDescription: textCell("referenceDescription"),
  tags: listCell("tags"),
  termsVersion: numberCell("acceptedTerms", "version"),
  termsAcceptedAt: textCell("acceptedTerms", "acceptedAt"),
  submit: flagCell("submit")
}

const identities = ({ customerId, customerInfo, customerReferenceId }: ImportEnrollment) => {
  if (customerId !== undefined) return [["customerId", customerId] as const]
  if (customerInfo !== undefined) return [["email", customerInfo.email.toLowerCase()] as const]
  return [["customerReferenceId", customerReferenceId!] as const]
}

export const enrollmentsImport = {
  noun: "enrollments",
  columns,
  /** The import into the program instance with an id or a slug. */
  into: (instance: string): ImportKind<ImportEnrollment> => ({
    noun: "enrollments",
    schema: ImportEnrollment,
    columns,
    identities,
    readReference: ({ referenceId }) => referenceId ?? null,
    connect: connect(instance)
  })
} as const
