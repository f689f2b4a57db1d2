import { collectionTypes } from "@edp/domain/collections/criteria"
import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { parseObject } from "../../flags.ts"

export const id = Argument.String("id").pipe(Argument.withDescription("Id of the collection"))

export const workspace = Flag.String("workspace").pipe(
  Flag.withDescription("Workspace that a MANAGEMENT key means; default: its own"),
  Flag.optional
)

export const type = Flag.Literals("type", collectionTypes).pipe(Flag.withDescription("What it gathers"))

export const criteria = Flag.String("criteria").pipe(
  Flag.withMetavar("json"),
  Flag.withDescription("A rule, all, any or not, as JSON; {} for a set kept by hand")
)

export const visibility = Flag.Literals("visibility", ["INTERNAL", "SHARED"]).pipe(
  Flag.withDescription("For your own use"),
  Flag.optional
)

export const description = Flag.String("description").pipe(Flag.withDescription("More for people"), Flag.optional)

/** The workspace as the API takes it. */
export const ofWorkspace = (workspace: Option.Option<string>) =>
  Option.isSome(workspace) ? { workspaceId: workspace.value } : {}

/** The criteria that were written; what they mean is for the service to judge. */
export const parseCriteria = (text: string) => parseObject("criteria", text)
