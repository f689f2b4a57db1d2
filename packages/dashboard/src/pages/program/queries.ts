import { withConventions } from "@edp/domain/auth/middleware"
import { ProgramReportsApi } from "@edp/domain/dispatches/ProgramReportsApi"
import type { EnrollmentStatus } from "@edp/domain/enrollments/Enrollment"
import { EnrollmentsApi } from "@edp/domain/enrollments/EnrollmentsApi"
import { ProgramInstancesApi } from "@edp/domain/programs/ProgramInstancesApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"

const api = withConventions(HttpApi.make("program").add(ProgramInstancesApi, EnrollmentsApi, ProgramReportsApi))

export class ProgramClient extends AtomHttpApi.Service<ProgramClient>()("ProgramClient", { api, ...pageClient }) {}

export const instanceQuery = (id: string) =>
  ProgramClient.query("programInstances", "get", {
    params: { id },
    reactivityKeys: keys("programInstances", `programInstance:${id}`)
  })

export const enrollmentsQuery = (id: string, page: number, status: EnrollmentStatus | undefined) =>
  ProgramClient.query("enrollments", "list", {
    params: { id },
    query: { page, perPage: 25, ...(status !== undefined && { status: [status] }) },
    reactivityKeys: keys("enrollments")
  })

/** The last 30 days. */
export const reportQuery = (id: string) =>
  ProgramClient.query("programReports", "get", {
    params: { id },
    headers: {},
    query: {},
    reactivityKeys: keys("enrollments", "programReports")
  })
