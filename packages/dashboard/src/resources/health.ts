import { withConventions } from "@edp/domain/auth/middleware"
import { HealthApi } from "@edp/domain/dashboard/HealthApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("health").add(HealthApi))

class HealthClient extends AtomHttpApi.Service<HealthClient>()("HealthClient", { api, ...pageClient }) {}

export const healthQuery = HealthClient.query("health", "get", { reactivityKeys: keys("health") })
