import { withConventions } from "@edp/domain/auth/middleware"
import type { ProgramInstanceStatus } from "@edp/domain/programs/ProgramInstance"
import { ProgramInstancesApi } from "@edp/domain/programs/ProgramInstancesApi"
import { ProgramsApi } from "@edp/domain/programs/ProgramsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"

const api = withConventions(HttpApi.make("programs").add(ProgramsApi, ProgramInstancesApi))

export class ProgramsClient extends AtomHttpApi.Service<ProgramsClient>()("ProgramsClient", { api, ...pageClient }) {}

export const instancesQuery = (page: number, status: ProgramInstanceStatus | undefined) =>
  ProgramsClient.query("programInstances", "list", {
    query: { page, perPage: 25, ...(status !== undefined && { status: [status] }) },
    reactivityKeys: keys("programInstances")
  })

export const programsQuery = (page: number, perPage = 25) =>
  ProgramsClient.query("programs", "list", { query: { page, perPage }, reactivityKeys: keys("programs") })
