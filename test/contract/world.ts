import { randomBytes } from "node:crypto"
import type { TestResponse, TestApp, TestWorkspace } from "../support/TestApp.ts"

/** Old enough that no device is online, and that the default span of a history does not cover it. */
export const readingTimes = ["2025-06-01T10:00:00.000Z", "2025-06-01T11:00:00.000Z"] as const

/** Records with the same names in every world, so that a list without isolation counts too many. */
export const common = {
  tag: "common",
  customerReferenceId: "common-customer",
  customerEmail: "common@example.com",
  siteReferenceId: "common-site",
  siteName: "Common site",
  postalCode: "95814",
  state: "CA",
  manufacturer: "generic",
  manufacturerDeviceId: "COMMON-1",
  serialNumber: "COMMON-SN",
  deviceName: "Common device",
  /** The user whose devices a SCOPED key of the world does not cover. */
  referenceId: "user-2",
  sourceSystem: "common-watch",
  programInstanceSlug: "common-instance",
  enrollmentReferenceId: "common-application"
} as const

/** A workspace with one of everything of its own, and one of everything that other worlds have alike. */
export interface World extends TestWorkspace {
  /** A customer of the site. */
  readonly customerId: string
  readonly commonCustomerId: string
  readonly customerReferenceId: string
  readonly customerEmail: string
  readonly siteId: string
  readonly commonSiteId: string
  /** A device of the user that the world's SCOPED key covers. */
  readonly deviceId: string
  /** A device of another user. */
  readonly commonDeviceId: string
  /** A device that was provisioned and removed again: it belongs to no workspace. */
  readonly removedDeviceId: string
  readonly alertId: string
  /** That its alert was created. */
  readonly eventId: string
  /** A set kept by hand, with the world's own device in it. */
  readonly collectionId: string
  /** The devices of the common tag. */
  readonly commonCollectionId: string
  /** An unreachable webhook with a waiting delivery for each of its sites. */
  readonly destinationId: string
  readonly homeAssistantPublicationId: string
  readonly deliveryId: string
  /** A connect session that its CONNECT key created. */
  readonly connectionId: string
  /** A scheduled command of its own device. */
  readonly commandId: string
  /** A schedule of its own device. */
  readonly scheduleId: string
  /** Taken for the world's own device by its manufacturer, without a result yet. */
  readonly deliveredCommandId: string
  /** A scheduled batch for its own device. */
  readonly batchId: string
  /** Its commands have failed, because they were cancelled. */
  readonly failedBatchId: string
  /** A private program of its organization. */
  readonly programSlug: string
  readonly programInstanceId: string
  readonly programInstanceSlug: string
  /** A scheduled dispatch with its site as the only participant. */
  readonly dispatchId: string
  readonly gridConnectionId: string
  readonly gridProgramId: string
  /** Without enrollments. */
  readonly emptyProgramInstanceId: string
  /** Its own customer's, eligible. */
  readonly enrollmentId: string
  readonly enrollmentReferenceId: string
  /** A filter of the dashboard that its MANAGEMENT key saved. */
  readonly savedFilterId: string
  readonly submittedEnrollmentId: string
  readonly otherSubmittedEnrollmentId: string
  readonly approvedEnrollmentId: string
  readonly apiKeyId: string
  /** The MANAGEMENT key among its keys. */
  readonly managementKeyId: string
  readonly deviceModelId: string
  readonly deviceModel: string
  readonly tag: string
  readonly q: string
  readonly siteReferenceId: string
  readonly deviceReferenceId: string
  readonly manufacturerDeviceId: string
  readonly serialNumber: string
  readonly sourceSystem: string
}

/** A response that must be of one of these statuses, else the seed is wrong and every test after it would be. */
export const must = (response: TestResponse, ...statuses: ReadonlyArray<number>) => {
  if (statuses.includes(response.status)) return response.body
  throw new Error(`expected ${statuses.join(" or ")}, got ${response.status}: ${response.text}`)
}

/** The port that throws everything away, where hardly anybody listens. */
export const nobodyResponds = "http://127.0.0.1:9/events"

export const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString()

const address = (streetOne: string) => ({ streetOne, city: "Sacramento", state: "CA", postalCode: common.postalCode })

/** A state of the worlds' devices, which are chargers: they take commands. */
export const chargerState = (chargerWattage: number) => ({ chargingState: "charging", chargerWattage })

export const genericCharger = async (
  app: Pick<TestApp, "call">,
  key: string
): Promise<{ readonly id: string; readonly name: string }> => {
  const models = await app.call("GET", "/v1/device-models?manufacturer=generic&type=charger", { key })
  return must(models, 200).data[0]
}

/** A command for chargers. */
export const startCharging = { type: "charger:set-operating-mode", input: { operatingMode: "start-charging" } }

/** The state of the chargers does not show it already. */
export const stopCharging = { type: "charger:set-operating-mode", input: { operatingMode: "stop-charging" } }

/** A time a day and some minutes ahead: commands for different times do not override each other. */
export const laterTime = (minute: number) => new Date(Date.now() + 86_400_000 + minute * 60_000).toISOString()

/** The intervals of a dispatch to chargers, a day and some minutes ahead. */
export const chargingIntervals = (minute: number) => [
  { startsAt: laterTime(minute), durationSeconds: 60, actions: { charger: startCharging.input } }
]

/** A rule of a schedule for chargers. */
export const nightRule = {
  daysOfWeek: [0, 1, 2, 3, 4, 5, 6],
  startTime: "22:00",
  endTime: "06:00",
  mode: { operatingMode: "start-charging" }
}

export type WorldApp = Pick<TestApp, "call" | "sql" | "workspace">

/** Seeds a workspace through the API only. `name` distinguishes its records from those of every other world. */
export const seedWorld = async (app: WorldApp, name: string, organizationId?: string): Promise<World> => {
  const workspace = await app.workspace(organizationId)
  const { SERVER, MANUFACTURER, MANAGEMENT, CONNECT } = workspace.keys
  const create = async (path: string, key: string, body: object) =>
    must(await app.call("POST", path, { key, body }), 201)
  const own = {
    tag: `${name}-tag`,
    q: `${name} device`,
    customerReferenceId: `${name}-customer`,
    customerEmail: `${name.replace(/\W+/g, "-")}@example.com`,
    siteReferenceId: `${name}-site`,
    deviceReferenceId: "user-1",
    manufacturerDeviceId: `${name}-1`,
    serialNumber: `${name}-SN`,
    sourceSystem: `${name}-watch`,
    enrollmentReferenceId: `${name}-application`
  }
  const model = await genericCharger(app, SERVER)

  const site = (streetOne: string, siteName: string, referenceId: string, tag: string): Promise<any> =>
    create("/v1/sites", SERVER, { address: address(streetOne), name: siteName, referenceId, tags: [tag] })
  const ownSite = await site(`${name} Street 1`, `${name} site`, own.siteReferenceId, own.tag)
  const commonSite = await site("1 Capitol Mall", common.siteName, common.siteReferenceId, common.tag)

  const customer = (referenceId: string, email: string, siteId: string): Promise<any> =>
    create("/v1/customers", SERVER, { referenceId, email, lastName: referenceId, siteIds: [siteId] })
  const ownCustomer = await customer(own.customerReferenceId, own.customerEmail, ownSite.id)
  const commonCustomer = await customer(common.customerReferenceId, common.customerEmail, commonSite.id)

  const provision = (siteId: string, fields: object): Promise<any> =>
    create("/devices", MANUFACTURER, { deviceModelId: model.id, siteId, ...fields })
  const { manufacturerDeviceId, serialNumber, q, tag, deviceReferenceId } = own
  const ownDevice = await provision(ownSite.id, {
    manufacturerDeviceId,
    serialNumber,
    name: q,
    referenceId: deviceReferenceId,
    tags: [tag]
  })
  const commonDevice = await provision(commonSite.id, {
    manufacturerDeviceId: common.manufacturerDeviceId,
    serialNumber: common.serialNumber,
    name: common.deviceName,
    referenceId: common.referenceId,
    tags: [common.tag]
  })
  const removed = await provision(ownSite.id, { manufacturerDeviceId: `${name}-removed` })
  for (const { id } of [ownDevice, commonDevice, removed]) {
    const readings = readingTimes.map((timestamp, index) => ({ timestamp, state: chargerState(1000 + index) }))
    must(await app.call("POST", `/devices/${id}/telemetry`, { key: MANUFACTURER, body: { readings } }), 200)
  }
  must(await app.call("DELETE", `/v1/devices/${removed.id}`, { key: SERVER }), 204)

  const alert = (siteId: string, deviceId: string, sourceSystem: string): Promise<any> =>
    create("/v1/alerts", SERVER, { siteId, deviceId, sourceSystem, title: "Dark", severity: "WARNING", type: "SENSOR" })
  const ownAlert = await alert(ownSite.id, ownDevice.id, own.sourceSystem)
  await alert(commonSite.id, commonDevice.id, common.sourceSystem)
  const events = await app.call("GET", `/v1/events?type=ALERT_CREATED&deviceId=${ownDevice.id}`, { key: SERVER })
  const [ownEvent] = must(events, 200).data
  const collection = (collectionName: string, fields: object): Promise<any> =>
    create("/v1/collections", SERVER, { name: collectionName, collectionType: "DEVICE", ...fields })
  const ownCollection = await collection(own.q, { criteria: {}, dynamic: false })
  must(await app.call("PUT", `/v1/collections/${ownCollection.id}/members/${ownDevice.id}`, { key: SERVER }), 204)
  const commonCollection = await collection(common.deviceName, {
    criteria: { attribute: "tags", operator: "in", value: [common.tag] }
  })
  const destination = await create("/v1/destinations", SERVER, {
    destinationType: "WEBHOOK",
    label: own.q,
    url: nobodyResponds,
    eventTypes: ["SITE_CREATED"],
    headers: { "X-Team": name.replace(/\W+/g, "-") }
  })
  const homeAssistantPublication = await create("/v1/home-assistant-publications", SERVER, {
    host: "127.0.0.1",
    port: 9,
    username: "edp",
    password: "world-4711"
  })
  const on = `/v1/destinations/${destination.id}`
  const replayed = await app.call("POST", `${on}/replay`, { key: SERVER, body: { from: anHourAgo() } })
  if (must(replayed, 200).deliveries !== 2) throw new Error(`expected a delivery for each site: ${replayed.text}`)
  const [delivery] = must(await app.call("GET", `${on}/deliveries`, { key: SERVER }), 200).data
  const connect = (key: string, referenceId: string, customerId: string): Promise<any> =>
    create("/v1/connections", key, { referenceId, customerId })
  await connect(SERVER, common.referenceId, commonCustomer.id)
  const connection = await connect(CONNECT, own.deviceReferenceId, ownCustomer.id)
  const command = (deviceId: string): Promise<any> =>
    create(`/v1/devices/${deviceId}/commands`, SERVER, { ...startCharging, scheduledFor: laterTime(-60) })
  await command(commonDevice.id)
  const ownCommand = await command(ownDevice.id)
  const schedule = (target: object): Promise<any> =>
    create("/v1/schedules", SERVER, { name: own.q, target, deviceType: "charger", rules: [nightRule] })
  await schedule({ deviceId: commonDevice.id })
  await schedule({ tag: common.tag })
  await schedule({ collectionId: commonCollection.id })
  const ownSchedule = await schedule({ deviceId: ownDevice.id })
  await schedule({ tag: own.tag })
  await schedule({ collectionId: ownCollection.id })
  // No two programs of a deployment have the same slug.
  const program = await create("/v1/programs", MANAGEMENT, { slug: `program-${workspace.workspaceId}`, name })
  const instance = (slug: string): Promise<any> => {
    const texts = { title: own.q, description: "", eligibilityCriteria: "", programTerms: "" }
    return create("/v1/programInstances", SERVER, { slug, programSlug: program.slug, ...texts })
  }
  const commonInstance = await instance(common.programInstanceSlug)
  const ownInstance = await instance(`instance-${workspace.workspaceId}`)
  const dispatch = await create(`/v1/programInstances/${commonInstance.id}/dispatches`, SERVER, {
    name: own.q,
    intervals: chargingIntervals(0)
  })
  await app.sql(
    (sql) => sql`INSERT INTO dispatch_sites (dispatch_id, site_id, customer_id, enrollment_id, state, held_out, reasons,
        updated_at)
      VALUES (${dispatch.id}, ${ownSite.id}, ${ownCustomer.id}, ${ownSite.id}, 'notified', false, '[]', now())`
  )
  const gridConnection = await create("/v1/grid-connections", SERVER, {
    name: own.q,
    vtnUrl: nobodyResponds,
    venName: "ven",
    enabled: false
  })
  const gridProgramId = await seedGridObjects(app, gridConnection.id, workspace.workspaceId)
  const signal = { payloadType: "SIMPLE", level: 1 }
  const publicationPath = `/v1/programInstances/${ownInstance.id}/openadr-publication`
  must(await app.call("PUT", publicationPath, { key: SERVER, body: { signal } }), 200)
  const emptyInstance = await instance(`empty-${workspace.workspaceId}`)
  const enroll = (instanceId: string, customerId: string, fields: object): Promise<any> => {
    const body = { identificationType: "customerId", customerId, ...fields }
    return create(`/v1/programInstances/${instanceId}/enrollments`, SERVER, body)
  }
  const ownEnrollment = await enroll(ownInstance.id, ownCustomer.id, {
    siteId: ownSite.id,
    referenceId: own.enrollmentReferenceId,
    tags: [own.tag],
    submit: false
  })
  const submittedEnrollment = await enroll(ownInstance.id, commonCustomer.id, {
    siteId: commonSite.id,
    referenceId: common.enrollmentReferenceId,
    tags: [common.tag]
  })
  const otherSubmittedEnrollment = await enroll(commonInstance.id, ownCustomer.id, {})
  const approvedEnrollment = await enroll(commonInstance.id, commonCustomer.id, {})
  must(await app.call("POST", `/v1/enrollments/${approvedEnrollment.id}/approve`, { key: SERVER }), 200)
  const delivered = await create(`/v1/devices/${ownDevice.id}/commands`, SERVER, stopCharging)
  must(await app.call("GET", `/devices/${ownDevice.id}/commands`, { key: MANUFACTURER }), 200)
  const batch = async (minute: number) => {
    const body = { ...startCharging, tag: own.tag, scheduledFor: laterTime(minute) }
    return must(await app.call("POST", "/v1/batch-commands", { key: SERVER, body }), 202)
  }
  const [ownBatch, failedBatch] = [await batch(-120), await batch(-180)]
  must(await app.call("POST", `/v1/batch-commands/${failedBatch.id}/cancel`, { key: SERVER }), 200)
  const ownKeys = await app.call("GET", `/v1/api-keys?workspaceId=${workspace.workspaceId}`, { key: MANAGEMENT })
  const managementKey = must(ownKeys, 200).data.find(({ type }: { type: string }) => type === "MANAGEMENT")
  const apiKey: any = await create("/v1/api-keys", MANAGEMENT, { name: `${name} key`, type: "CONNECT" })

  const savedFilter = await create("/dashboard/api/saved-filters", MANAGEMENT, {
    name: own.q,
    page: "devices",
    query: `tag=${own.tag}`
  })

  return {
    ...workspace,
    ...own,
    savedFilterId: savedFilter.id,
    customerId: ownCustomer.id,
    commonCustomerId: commonCustomer.id,
    siteId: ownSite.id,
    commonSiteId: commonSite.id,
    deviceId: ownDevice.id,
    commonDeviceId: commonDevice.id,
    removedDeviceId: removed.id,
    alertId: ownAlert.id,
    eventId: ownEvent.id,
    collectionId: ownCollection.id,
    commonCollectionId: commonCollection.id,
    destinationId: destination.id,
    homeAssistantPublicationId: homeAssistantPublication.id,
    deliveryId: delivery.id,
    connectionId: connection.id,
    commandId: ownCommand.id,
    scheduleId: ownSchedule.id,
    deliveredCommandId: delivered.id,
    batchId: ownBatch.id,
    failedBatchId: failedBatch.id,
    programSlug: program.slug,
    programInstanceId: ownInstance.id,
    programInstanceSlug: ownInstance.slug,
    dispatchId: dispatch.id,
    gridConnectionId: gridConnection.id,
    gridProgramId,
    emptyProgramInstanceId: emptyInstance.id,
    enrollmentId: ownEnrollment.id,
    submittedEnrollmentId: submittedEnrollment.id,
    otherSubmittedEnrollmentId: otherSubmittedEnrollment.id,
    approvedEnrollmentId: approvedEnrollment.id,
    apiKeyId: apiKey.id,
    managementKeyId: managementKey.id,
    deviceModelId: model.id,
    deviceModel: model.name
  }
}

/** A program, an event and a report, as polls of a VTN store them. Returns the id of the program. */
export const seedGridObjects = async (app: WorldApp, connectionId: string, workspaceId: string) => {
  const newId = () => `c${randomBytes(12).toString("hex")}`
  const [programId, eventId, reportId] = [newId(), newId(), newId()]
  const program = JSON.stringify({ id: "p", programName: "prices", objectType: "PROGRAM" })
  const event = JSON.stringify({ id: "e", programID: "p", objectType: "EVENT" })
  await app.sql(
    (
      sql
    ) => sql`INSERT INTO grid_programs (id, workspace_id, grid_connection_id, remote_id, body, rules, created_at, updated_at)
      VALUES (${programId}, ${workspaceId}, ${connectionId}, 'p', ${program}::jsonb, '[]', now(), now())`
  )
  await app.sql(
    (
      sql
    ) => sql`INSERT INTO grid_events (id, workspace_id, grid_connection_id, grid_program_id, remote_id, body, starts_at,
        vtn_created_at, vtn_modified_at, outcomes, created_at, updated_at)
      VALUES (${eventId}, ${workspaceId}, ${connectionId}, ${programId}, 'e', ${event}::jsonb, now() - interval '1 hour',
        now(), now(), '[]', now(), now())`
  )
  await app.sql(
    (
      sql
    ) => sql`INSERT INTO grid_reports (id, workspace_id, grid_connection_id, grid_event_id, descriptor, position, intervals,
        starts_at, ends_at, due_at, status, attempts, sent_at, created_at)
      VALUES (${reportId}, ${workspaceId}, ${connectionId}, ${eventId}, '{"payloadType":"USAGE"}', 0, '[]', now(), now(),
        now(), 'sent', 1, now(), now())`
  )
  return programId
}

/** The same kinds of names and ids, of nothing that exists. */
const nothing = `c${"0".repeat(24)}`

export const nobody: Omit<World, keyof TestWorkspace> & Pick<World, "organizationId" | "workspaceId"> = {
  organizationId: nothing,
  workspaceId: nothing,
  customerId: nothing,
  commonCustomerId: nothing,
  savedFilterId: nothing,
  customerReferenceId: "nobody-customer",
  customerEmail: "nobody@example.org",
  siteId: nothing,
  commonSiteId: nothing,
  deviceId: nothing,
  commonDeviceId: nothing,
  removedDeviceId: nothing,
  alertId: nothing,
  eventId: nothing,
  collectionId: nothing,
  commonCollectionId: nothing,
  destinationId: nothing,
  homeAssistantPublicationId: nothing,
  deliveryId: nothing,
  connectionId: nothing,
  commandId: nothing,
  scheduleId: nothing,
  deliveredCommandId: nothing,
  batchId: nothing,
  failedBatchId: nothing,
  programSlug: "nobody-program",
  programInstanceId: nothing,
  programInstanceSlug: "nobody-instance",
  dispatchId: nothing,
  gridConnectionId: nothing,
  gridProgramId: nothing,
  emptyProgramInstanceId: nothing,
  enrollmentId: nothing,
  enrollmentReferenceId: "nobody-application",
  submittedEnrollmentId: nothing,
  otherSubmittedEnrollmentId: nothing,
  approvedEnrollmentId: nothing,
  apiKeyId: nothing,
  managementKeyId: nothing,
  deviceModelId: nothing,
  deviceModel: "nobody's model",
  tag: "nobody-tag",
  q: "nobody device",
  siteReferenceId: "nobody-site",
  deviceReferenceId: "nobody",
  manufacturerDeviceId: "nobody-1",
  serialNumber: "nobody-SN",
  sourceSystem: "nobody-watch"
}
