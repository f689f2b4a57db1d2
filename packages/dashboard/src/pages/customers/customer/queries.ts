import { withConventions } from "@edp/domain/auth/middleware"
import { ConnectionsApi } from "@edp/domain/connections/ConnectionsApi"
import { DevicesApi } from "@edp/domain/devices/DevicesApi"
import { EnrollmentsApi } from "@edp/domain/enrollments/EnrollmentsApi"
import { ProgramInstancesApi } from "@edp/domain/programs/ProgramInstancesApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../../api/makeApi.ts"

const api = withConventions(
  HttpApi.make("customer").add(DevicesApi, EnrollmentsApi, ProgramInstancesApi, ConnectionsApi)
)

export class CustomerClient extends AtomHttpApi.Service<CustomerClient>()("CustomerClient", { api, ...pageClient }) {}

export const devicesQuery = (customerId: string, page: number) =>
  CustomerClient.query("devices", "list", {
    query: { page, perPage: 25, customerId: [customerId] },
    reactivityKeys: keys("devices", `customer:${customerId}`)
  })

/** Enrollments are listed by program instance, of which the newest are searched. */
export const SEARCHED = 25

export const instancesQuery = () =>
  CustomerClient.query("programInstances", "list", {
    query: { perPage: SEARCHED },
    reactivityKeys: keys("programInstances")
  })

export const enrollmentsQuery = (instanceId: string, customerId: string) =>
  CustomerClient.query("enrollments", "list", {
    params: { id: instanceId },
    query: { perPage: 100, customerId: [customerId] },
    reactivityKeys: keys("enrollments", `customer:${customerId}`)
  })
