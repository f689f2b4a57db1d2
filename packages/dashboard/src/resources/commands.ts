import { withConventions } from "@edp/domain/auth/middleware"
import { CommandsApi } from "@edp/domain/commands/CommandsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("commands").add(CommandsApi))

export class CommandsClient extends AtomHttpApi.Service<CommandsClient>()("CommandsClient", { api, ...pageClient }) {}

/** The queries that another state of a command changes. */
export const commandChanged = ["commands"]

/** The queries that a command to a device changes: the device shows the mode that it holds. */
export const commandSent = (deviceId: string) => ["commands", `device:${deviceId}`]

export const deviceCommandsQuery = (deviceId: string, page = 1) =>
  CommandsClient.query("commands", "ofDevice", {
    params: { id: deviceId },
    query: { page, perPage: 20 },
    reactivityKeys: keys("commands")
  })
