import { withConventions } from "@edp/domain/auth/middleware"
import type { SendCommand } from "@edp/domain/commands/Command"
import type { CommandStatus } from "@edp/domain/commands/CommandStatus"
import { CommandsApi } from "@edp/domain/commands/CommandsApi"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"

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

/** The effect that a command would have now. It is read again with the live states of the device. */
export const commandPreviewQuery = (deviceId: string, { input, type }: Pick<SendCommand, "type" | "input">) =>
  CommandsClient.query("commands", "preview", {
    params: { id: deviceId },
    payload: { type, input },
    reactivityKeys: keys("commands", `device:${deviceId}`)
  })

export interface CommandSearch {
  readonly status?: CommandStatus | undefined
  readonly type?: CommandSlug | undefined
  readonly device?: string | undefined
  readonly batch?: string | undefined
  readonly cursor?: string | undefined
}

/** A page of the commands of the workspace, newest first. */
export const commandsQuery = ({ status, type, device, batch, cursor }: CommandSearch) =>
  CommandsClient.query("commands", "list", {
    query: given({
      perPage: 50,
      status: listed(status),
      type: listed(type),
      deviceId: listed(device?.trim()),
      batchId: listed(batch?.trim()),
      cursor: cursor || undefined
    }),
    reactivityKeys: keys("commands")
  })

export const commandQuery = (id: string) =>
  CommandsClient.query("commands", "get", { params: { id }, reactivityKeys: keys("commands", `command:${id}`) })

/** A command that takes effect in a time may have been issued this long before. */
const EARLIER = 86_400_000

interface Span {
  readonly from: number
  readonly to: number
}

/** The newest hundred commands to some devices whose effect a chart may show. */
export const shownCommandsQuery = (deviceId: ReadonlyArray<string>, { from, to }: Span) =>
  CommandsClient.query("commands", "list", {
    query: {
      perPage: 100,
      deviceId,
      from: new Date(from - EARLIER).toISOString(),
      to: new Date(to).toISOString()
    },
    reactivityKeys: keys("commands")
  })
