import { chosenPeriod } from "../i18n/period.ts"
import { formerPeriods } from "../pages/energy/periods.ts"
import {
  alertConfigurationQuery,
  alertGroupsQuery,
  alertQuery,
  alertsQuery,
  deviceAlertsQuery,
  openDeviceAlertsQuery,
  siteAlertsQuery
} from "../resources/alerts.ts"
import { auditLogsQuery } from "../resources/auditLogs.ts"
import { apiKeyQuery, apiKeysQuery } from "../resources/apiKeys.ts"
import { batchesQuery, batchQuery } from "../resources/batches.ts"
import { collectionQuery, collectionsQuery, membersQuery } from "../resources/collections.ts"
import { commandQuery, commandsQuery, deviceCommandsQuery } from "../resources/commands.ts"
import {
  accountsQuery,
  connectFunnelQuery,
  connectSessionQuery,
  connectSessionsQuery
} from "../resources/connections.ts"
import { customerQuery, customersQuery, siteCustomersQuery } from "../resources/customers.ts"
import {
  deliveriesQuery,
  deliveryQuery,
  destinationNamesQuery,
  destinationQuery,
  destinationsQuery,
  eventDeliveriesQuery
} from "../resources/destinations.ts"
import {
  customerDevicesQuery,
  deviceConnectionQuery,
  deviceQuery,
  SCHEDULED_DEVICES,
  siteDevicesQuery
} from "../resources/devices.ts"
import { dispatchesQuery, dispatchQuery, dispatchReportQuery, participantsQuery } from "../resources/dispatches.ts"
import { enrollmentsQuery } from "../resources/enrollments.ts"
import { storedEventQuery, storedEventsQuery } from "../resources/events.ts"
import {
  gridConnectionQuery,
  gridConnectionsQuery,
  gridEventsQuery,
  gridProgramsQuery,
  instanceGridProgramsQuery,
  gridReportsQuery,
  gridTimelineQuery
} from "../resources/grid.ts"
import { publicationsQuery } from "../resources/homeAssistant.ts"
import { healthQuery } from "../resources/health.ts"
import { manufacturersQuery } from "../resources/manufacturers.ts"
import {
  openAdrClientsQuery,
  openAdrServerQuery,
  openAdrSubscriptionsQuery,
  venReportsQuery
} from "../resources/openadr.ts"
import { periodEnergyQuery, storedEnergyQuery } from "../resources/metrics.ts"
import {
  allInstancesQuery,
  instanceQuery,
  instanceReportQuery,
  instancesQuery,
  programsQuery
} from "../resources/programs.ts"
import { followedSchedulesQuery, scheduleQuery, schedulesQuery } from "../resources/schedules.ts"
import { sessionsQuery } from "../resources/sessions.ts"
import { workspaceQuery } from "../resources/workspaces.ts"
import { customerSitesQuery, siteQuery, sitesQuery, siteWithWeatherQuery } from "../resources/sites.ts"
import { fleetQuery } from "../resources/fleet.ts"
import type { Opened, Queries, Search } from "./search.ts"

/** The queries of a page that some of its address is for. */
const when = <A>(value: A | undefined, queries: (value: A) => Queries): Queries =>
  value === undefined ? [] : queries(value)

/**
 * The queries that each page begins with, as far as its address and the session determine them. What depends on a response, such as
 * the time zone of a site, the page itself asks for.
 */
export const pageQueries = {
  device: (id: string, { tab, page }: Search["device"]): Queries => [
    deviceQuery(id),
    deviceConnectionQuery(id),
    openDeviceAlertsQuery(id),
    ...(tab === "commands" ? [deviceCommandsQuery(id, page)] : []),
    ...(tab === "alerts" ? [deviceAlertsQuery(id, page)] : [])
  ],
  sites: (_: string, search: Search["sites"]): Queries => [sitesQuery(search)],
  site: (id: string, { devices, customers }: Search["site"]): Queries => [
    siteWithWeatherQuery(id),
    siteDevicesQuery(id, devices),
    siteCustomersQuery(id, customers),
    siteAlertsQuery(id),
    siteDevicesQuery(id, 1, SCHEDULED_DEVICES)
  ],
  customers: (_: string, search: Search["customers"]): Queries => [customersQuery(search)],
  customer: (id: string, { sites, devices }: Search["customer"]): Queries => [
    customerQuery(id),
    customerSitesQuery(id, sites),
    customerDevicesQuery(id, devices),
    instancesQuery({})
  ],
  energy: (_: string, { site, ...search }: Search["energy"], { timeZone }: Opened): Queries => {
    if (site !== undefined) return [siteQuery(site)]
    const period = chosenPeriod(search, timeZone)
    const earlier = formerPeriods(period, timeZone, search.over).map((former) => former.period)
    return [
      ...[period, ...earlier].map((each) => periodEnergyQuery(undefined, each, timeZone)),
      storedEnergyQuery(undefined, period, timeZone)
    ]
  },
  alerts: (_: string, search: Search["alerts"]): Queries => [
    ...(search.tab === undefined ? [alertsQuery(search)] : [alertConfigurationQuery, alertGroupsQuery]),
    ...(search.tab === "rules" ? [manufacturersQuery, destinationNamesQuery, fleetQuery({})] : []),
    ...when(search.alert, (id) => [alertQuery(id)]),
    ...when(search.device, (id) => [deviceQuery(id)]),
    ...when(search.site, (id) => [siteQuery(id)])
  ],
  events: (_: string, search: Search["events"]): Queries => [
    storedEventsQuery(search),
    ...when(search.event, (id) => [storedEventQuery(id), eventDeliveriesQuery(id)])
  ],
  destinations: (_: string, search: Search["destinations"]): Queries => [destinationsQuery(search)],
  destination: (id: string, search: Search["destination"]): Queries => [
    destinationQuery(id),
    deliveriesQuery(id, search),
    ...when(search.delivery, (deliveryId) => [deliveryQuery(id, deliveryId)])
  ],
  connections: (_: string, search: Search["connections"], { timeZone }: Opened): Queries => {
    const { tab = "accounts", day, unit = "month", page, manufacturer, state, status } = search
    return [
      manufacturersQuery,
      ...(tab === "accounts" ? [accountsQuery({ page, manufacturer, status })] : []),
      ...(tab === "sessions" ? [connectSessionsQuery({ page, manufacturer, status: state })] : []),
      ...(tab === "home-assistant" ? [publicationsQuery({ page })] : []),
      ...(tab === "funnel" ? [connectFunnelQuery(chosenPeriod({ unit, day }, timeZone))] : []),
      ...when(search.session, (id) => [connectSessionQuery(id)])
    ]
  },
  programs: (_: string, search: Search["programs"]): Queries => [instancesQuery(search), programsQuery()],
  program: (id: string, { view = "enrollments", ...search }: Search["program"]): Queries => [
    instanceQuery(id),
    ...(view === "enrollments" ? [enrollmentsQuery(id, search)] : []),
    ...(view === "report" ? [instanceReportQuery(id)] : []),
    ...(view === "terms" ? [instanceGridProgramsQuery(id)] : [])
  ],
  gridConnections: (_: string, search: Search["gridConnections"]): Queries => [gridConnectionsQuery(search)],
  gridConnection: (id: string, { page, report, status, tab = "events" }: Search["gridConnection"]): Queries => [
    gridConnectionQuery(id),
    gridTimelineQuery(id),
    gridProgramsQuery(id),
    ...(tab === "events" ? [gridEventsQuery(id, { page, status })] : []),
    ...(tab === "programs" ? [allInstancesQuery] : []),
    ...(tab === "reports" ? [gridReportsQuery(id, { page, status: report })] : [])
  ],
  openAdr: (_: string, { page, tab = "clients" }: Search["openAdr"]): Queries => [
    openAdrServerQuery,
    ...(tab === "clients" ? [openAdrClientsQuery({ page })] : []),
    ...(tab === "subscriptions" ? [openAdrSubscriptionsQuery({ page })] : []),
    ...(tab === "reports" ? [venReportsQuery({ page })] : [])
  ],
  dispatches: (_: string, { instance, ...search }: Search["dispatches"]): Queries => [
    allInstancesQuery,
    ...when(instance, (id) => [dispatchesQuery(id, search)])
  ],
  dispatch: (id: string, { results, ...search }: Search["dispatch"]): Queries => [
    dispatchQuery(id),
    participantsQuery(id, search),
    dispatchReportQuery(id, results)
  ],
  commands: (_: string, { command, view, page, ...search }: Search["commands"]): Queries => [
    ...(view === "batches"
      ? [batchesQuery(page)]
      : [commandsQuery(search), ...when(search.batch, (id) => [batchQuery(id)])]),
    ...when(command, (id) => [commandQuery(id)])
  ],
  collections: (_: string, search: Search["collections"]): Queries => [collectionsQuery(search)],
  collection: (id: string, { page }: Search["collection"]): Queries => [collectionQuery(id), membersQuery(id, page)],
  schedules: (_: string, search: Search["schedules"]): Queries => [
    schedulesQuery(search),
    ...when(search.device, (id) => [followedSchedulesQuery(id)]),
    ...when(search.schedule, (id) => [scheduleQuery(id)])
  ],
  audit: (_: string, search: Search["audit"]): Queries => [auditLogsQuery(search)],
  settings: (_: string, _search: Search["settings"], { workspaceId }: Opened): Queries =>
    when(workspaceId, (id) => [workspaceQuery(id)]),
  keys: (_: string, { in: workspaceId, ...search }: Search["keys"], { keyId }: Opened): Queries => [
    apiKeysQuery({ ...search, workspaceId }),
    ...when(keyId, (id) => [apiKeyQuery(id)])
  ],
  health: (): Queries => [healthQuery],
  account: (_: string, { page }: Search["account"]): Queries => [sessionsQuery(page)]
}
