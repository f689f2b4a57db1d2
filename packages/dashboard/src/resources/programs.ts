import { withConventions } from "@edp/domain/auth/middleware"
import { ProgramReportsApi } from "@edp/domain/dispatches/ProgramReportsApi"
import type { ProgramInstanceStatus } from "@edp/domain/programs/ProgramInstance"
import { ProgramInstancesApi } from "@edp/domain/programs/ProgramInstancesApi"
import { ProgramsApi } from "@edp/domain/programs/ProgramsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"
import { dependingOn } from "../api/reactivity.ts"
import { readAll } from "../api/readAll.ts"

const api = withConventions(HttpApi.make("programs").add(ProgramsApi, ProgramInstancesApi, ProgramReportsApi))

export class ProgramsClient extends AtomHttpApi.Service<ProgramsClient>()("ProgramsClient", { api, ...pageClient }) {}

/** The queries that a program changes. */
export const programsChanged = ["programs"]

/** The queries that an instance of a program changes. */
export const instancesChanged = ["programInstances"]

export const programsQuery = (page = 1) =>
  ProgramsClient.query("programs", "list", { query: { page, perPage: 25 }, reactivityKeys: keys("programs") })

/** The programs to choose from. */
export const allProgramsQuery = ProgramsClient.runtime
  .atom(ProgramsClient.use((client) => readAll((query) => client.programs.list({ query }))))
  .pipe(dependingOn(keys("programs")))

interface InstanceSearch {
  readonly page?: number | undefined
  readonly status?: ProgramInstanceStatus | undefined
}

export const instancesQuery = ({ page = 1, status }: InstanceSearch) =>
  ProgramsClient.query("programInstances", "list", {
    query: given({ page, perPage: 25, status: listed(status) }),
    reactivityKeys: keys("programInstances")
  })

/** The instances to choose from. */
export const allInstancesQuery = ProgramsClient.runtime
  .atom(ProgramsClient.use((client) => readAll((query) => client.programInstances.list({ query }))))
  .pipe(dependingOn(keys("programInstances")))

export const instanceQuery = (id: string) =>
  ProgramsClient.query("programInstances", "get", {
    params: { id },
    reactivityKeys: keys("programInstances", `programInstance:${id}`)
  })

/** The report of an instance about the last 30 days. */
export const instanceReportQuery = (id: string) =>
  ProgramsClient.query("programReports", "get", {
    params: { id },
    headers: {},
    query: {},
    reactivityKeys: keys("enrollments", "programReports")
  })
