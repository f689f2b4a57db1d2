import type { Workspace } from "@edp/domain/workspaces/Workspace"
import type { Column } from "../../table.ts"

export const workspaceColumns: ReadonlyArray<Column<Workspace>> = [
  { title: "ID", value: (workspace) => workspace.id, whole: true },
  { title: "NAME", value: (workspace) => workspace.name },
  { title: "TIMEZONE", value: (workspace) => workspace.timezone },
  { title: "PROTECTED", value: (workspace) => (workspace.deletionProtection ? "yes" : "no"), whole: true },
  { title: "CREATED", value: (workspace) => workspace.createdAt, time: true, wide: true }
]

export const workspaceFields = (workspace: Workspace) =>
  [
    ["id", workspace.id],
    ["name", workspace.name],
    ["timezone", workspace.timezone],
    ["deletion protection", workspace.deletionProtection ? "on" : "off"],
    ["organization", workspace.organizationId],
    ["created", workspace.createdAt],
    ["updated", workspace.updatedAt]
  ] as const
