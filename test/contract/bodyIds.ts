import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import type { OpenApiDocument } from "../support/OpenApiOracle.ts"
import type { World } from "./world.ts"

/** A bulk request is answered by item. */
export type ExpectedOfForeign =
  | "as one that does not exist"
  | { readonly status: number | "item" | "skipped"; readonly code: string }

interface BodyId {
  readonly kind: Exclude<keyof World, "keys">
  readonly expected: ExpectedOfForeign
  /** The keys that may name another one; from others the field is unknown. */
  readonly from?: ReadonlyArray<ApiKeyType>
  /** The body with the field set. */
  readonly put: (body: Record<string, any>, field: string, value: string) => unknown
}

const top: BodyId["put"] = (body, field, value) => ({ ...body, [field]: value })
const inReadings: BodyId["put"] = ({ readings: [reading] }, _, value) => ({
  readings: [{ ...reading, deviceId: value }]
})
const inSiteIds: BodyId["put"] = (body, field, value) => ({ ...body, [field]: [value] })
const inCustomers: BodyId["put"] = ({ customers: [customer] }, _, value) => ({
  customers: [{ ...customer, siteIds: [value] }]
})
const inSites: BodyId["put"] = ({ sites: [site] }, field, value) => ({
  sites: [{ ...site, [field.split(".").at(-1)!]: value }]
})
const asCustomer: BodyId["put"] = (_, __, value) => ({ identificationType: "customerId", customerId: value })
const inEnrollments: BodyId["put"] = ({ enrollments: [enrollment] }, field, value) => ({
  enrollments: [field.endsWith("siteId") ? { ...enrollment, siteId: value } : asCustomer({}, field, value)]
})
const inTarget: BodyId["put"] = (body, field, value) => ({ ...body, target: { [field.split(".").at(-1)!]: value } })
const inScope: BodyId["put"] = (body, field, value) => ({
  ...body,
  type: "OPENADR_VEN",
  scope: { [field.split(".").at(-1)!]: field.endsWith("s") ? [value] : value }
})
/** Devices are selected in one way. */
const selecting: BodyId["put"] = (body, field, value) => ({
  ...body,
  tag: undefined,
  [field]: field.endsWith("s") ? [value] : value
})
const absent = "as one that does not exist"
/** The only place that distinguishes a record of another workspace from an unknown one. */
const notInWorkspace = { status: 404, code: "SITE_NOT_IN_WORKSPACE" }
const itemNotInWorkspace = { status: "item", code: "SITE_NOT_IN_WORKSPACE" } as const

/** Every field of a body that looks like an identifier, and what one of another workspace is answered. */
export const bodyIds: Readonly<Record<string, BodyId | "no thing of a workspace">> = {
  "POST /v1/alerts body siteId": { kind: "siteId", expected: notInWorkspace, put: top },
  "POST /v1/alerts body deviceId": { kind: "deviceId", expected: absent, put: top },
  "PATCH /v1/devices/:id body siteId": { kind: "siteId", expected: notInWorkspace, put: top },
  "PATCH /v1/devices/:id body referenceId": "no thing of a workspace",
  "POST /devices body siteId": { kind: "siteId", expected: absent, put: top },
  "POST /devices body deviceModelId": "no thing of a workspace",
  "POST /devices body manufacturerDeviceId": "no thing of a workspace",
  "POST /devices body referenceId": "no thing of a workspace",
  "POST /devices/telemetry body readings.deviceId": { kind: "deviceId", expected: absent, put: inReadings },
  "POST /devices/telemetry body readings.manufacturerDeviceId": "no thing of a workspace",
  "POST /v1/customers body siteIds": { kind: "siteId", expected: notInWorkspace, put: inSiteIds },
  "POST /v1/customers body referenceId": "no thing of a workspace",
  "PATCH /v1/customers/:id body referenceId": "no thing of a workspace",
  "POST /v1/customers/bulk body customers.siteIds": { kind: "siteId", expected: itemNotInWorkspace, put: inCustomers },
  "POST /v1/customers/bulk body customers.referenceId": "no thing of a workspace",
  "POST /v1/collections body workspaceId": { kind: "workspaceId", expected: absent, from: ["MANAGEMENT"], put: top },
  "POST /v1/collections/preview body workspaceId": {
    kind: "workspaceId",
    expected: absent,
    from: ["MANAGEMENT"],
    put: top
  },
  "POST /v1/destinations body workspaceId": { kind: "workspaceId", expected: absent, from: ["MANAGEMENT"], put: top },
  "POST /v1/home-assistant-publications body workspaceId": {
    kind: "workspaceId",
    expected: absent,
    from: ["MANAGEMENT"],
    put: top
  },
  "POST /v1/destinations body kafkaConfig.clientId": "no thing of a workspace",
  "PATCH /v1/destinations/:id body kafkaConfig.clientId": "no thing of a workspace",
  "POST /v1/grid-connections body clientId": "no thing of a workspace",
  "PATCH /v1/grid-connections/:id body clientId": "no thing of a workspace",
  "PATCH /v1/grid-programs/:id body programInstanceId": {
    kind: "programInstanceId",
    expected: absent,
    put: top
  },
  "POST /v1/api-keys body workspaceId": { kind: "workspaceId", expected: absent, put: top },
  "POST /v1/api-keys body ownerId": "no thing of a workspace",
  "POST /v1/api-keys body scope.customerId": { kind: "customerId", expected: absent, put: inScope },
  "POST /v1/api-keys body scope.programInstanceId": { kind: "programInstanceId", expected: absent, put: inScope },
  "POST /v1/api-keys body scope.enrollmentIds": { kind: "enrollmentId", expected: absent, put: inScope },
  "POST /v1/sites body referenceId": "no thing of a workspace",
  "POST /v1/sites body customerId": { kind: "customerId", expected: absent, put: top },
  "POST /v1/sites/bulk body sites.referenceId": "no thing of a workspace",
  "POST /v1/sites/bulk body sites.customerId": { kind: "customerId", expected: absent, put: inSites },
  "PATCH /v1/sites/:id body referenceId": "no thing of a workspace",
  "POST /v1/schedules body target.deviceId": { kind: "deviceId", expected: absent, put: inTarget },
  "POST /v1/schedules body target.collectionId": { kind: "collectionId", expected: absent, put: inTarget },
  "PATCH /v1/schedules/:id body target.deviceId": { kind: "deviceId", expected: absent, put: inTarget },
  "PATCH /v1/schedules/:id body target.collectionId": { kind: "collectionId", expected: absent, put: inTarget },
  "POST /v1/schedules/preview body target.deviceId": { kind: "deviceId", expected: absent, put: inTarget },
  "POST /v1/schedules/preview body target.collectionId": { kind: "collectionId", expected: absent, put: inTarget },
  "POST /v1/batch-commands body deviceIds": {
    kind: "deviceId",
    expected: { status: "skipped", code: "DEVICE_NOT_FOUND" },
    put: selecting
  },
  "POST /v1/batch-commands body collectionId": { kind: "collectionId", expected: absent, put: selecting },
  "POST /v1/batch-commands body siteId": { kind: "siteId", expected: absent, put: selecting },
  "POST /devices/:id/commands/:commandId/result body upstream.requestId": "no thing of a workspace",
  "POST /v1/programInstances/:id/enrollments body customerId": {
    kind: "customerId",
    expected: absent,
    put: asCustomer
  },
  "POST /v1/programInstances/:id/enrollments body siteId": { kind: "siteId", expected: notInWorkspace, put: top },
  "POST /v1/programInstances/:id/enrollments body referenceId": "no thing of a workspace",
  "POST /v1/programInstances/:id/enrollments/bulk body enrollments.customerId": {
    kind: "customerId",
    expected: absent,
    put: inEnrollments
  },
  "POST /v1/programInstances/:id/enrollments/bulk body enrollments.siteId": {
    kind: "siteId",
    expected: itemNotInWorkspace,
    put: inEnrollments
  },
  "POST /v1/programInstances/:id/enrollments/bulk body enrollments.referenceId": "no thing of a workspace",
  "POST /v1/programInstances/:id/eligibility body customerId": { kind: "customerId", expected: absent, put: top },
  "POST /v1/programInstances/:id/eligibility body siteId": { kind: "siteId", expected: notInWorkspace, put: top },
  "POST /v1/connections body referenceId": "no thing of a workspace",
  "POST /v1/connections body customerId": { kind: "customerId", expected: absent, put: top },
  "POST /v1/connections body siteId": { kind: "siteId", expected: notInWorkspace, put: top }
}

const identifying = /(?:^id|Ids?)$/

/** The identifying fields of all request bodies of the document, under the names of the table. */
export const identifyingFields = (document: OpenApiDocument): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const [path, item] of Object.entries<Record<string, any>>(document.paths as never)) {
    for (const [method, { requestBody }] of Object.entries(item)) {
      const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`
      for (const name of findFields(document, requestBody?.content["application/json"].schema, [])) {
        if (identifying.test(name)) found.add(`${route} body ${name}`)
      }
    }
  }
  return [...found].sort()
}

const findFields = (document: any, schema: any, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (schema === undefined || path.length > 3) return []
  if (schema.$ref !== undefined) {
    const named = schema.$ref
      .slice("#/".length)
      .split("/")
      .reduce((node: any, key: string) => node[key], document)
    return findFields(document, named, path)
  }
  const inside = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(schema.items ? [schema.items] : [])
  ]
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [...path, name].join("."),
    ...findFields(document, field, [...path, name])
  ])
  return [...own, ...inside.flatMap((part) => findFields(document, part, path))]
}
