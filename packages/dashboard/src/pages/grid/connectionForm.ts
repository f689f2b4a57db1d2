import type {
  CreateGridConnection,
  GridConnection,
  GridNotificationSetting,
  UpdateGridConnection
} from "@edp/domain/grid/GridConnection"
import type { Problem } from "../../api/problems.ts"

/** The texts of the form of a connection. */
export interface ConnectionForm {
  readonly name: string
  readonly vtnUrl: string
  readonly venName: string
  readonly clientId: string
  /** Empty for a stored connection: its secret stays. */
  readonly clientSecret: string
  /** Empty: the VTN is asked for it. */
  readonly tokenUrl: string
  /** One in a line. */
  readonly targets: string
  readonly pollSeconds: string
  readonly notifications: GridNotificationSetting
}

export const emptyForm: ConnectionForm = {
  name: "",
  vtnUrl: "",
  venName: "",
  clientId: "",
  clientSecret: "",
  tokenUrl: "",
  targets: "",
  pollSeconds: "60",
  notifications: "automatic"
}

export const formFrom = (stored: GridConnection): ConnectionForm => ({
  name: stored.name,
  vtnUrl: stored.vtnUrl,
  venName: stored.venName,
  clientId: stored.clientId ?? "",
  clientSecret: "",
  tokenUrl: stored.tokenUrl ?? "",
  targets: stored.targets.join("\n"),
  pollSeconds: String(stored.pollSeconds),
  notifications: stored.notifications
})

const orNull = (text: string) => (text.trim() === "" ? null : text.trim())

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** The request of a form. An empty secret is left out: there is none, or the stored one stays. */
export const toConnection = (form: ConnectionForm): CreateGridConnection & UpdateGridConnection => ({
  name: form.name.trim(),
  vtnUrl: form.vtnUrl.trim(),
  venName: form.venName.trim(),
  clientId: orNull(form.clientId),
  ...(form.clientSecret !== "" && { clientSecret: form.clientSecret }),
  tokenUrl: orNull(form.tokenUrl),
  targets: lines(form.targets),
  pollSeconds: Number(form.pollSeconds),
  notifications: form.notifications
})

/** Why the targets are refused, all of them or one. */
export const targetsProblem = (problem: Problem | undefined): string | undefined => {
  if (problem?.kind !== "refused") return undefined
  return Object.entries(problem.details).find(([path]) => path === "targets" || path.startsWith("targets."))?.[1]
}
