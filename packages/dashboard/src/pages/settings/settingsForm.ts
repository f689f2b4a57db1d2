import type { UpdateWorkspace, Workspace } from "@edp/domain/workspaces/Workspace"

/** The texts of the form; targets of redirects are one in each line. */
export interface SettingsForm {
  readonly name: string
  readonly timezone: string
  readonly logoUrl: string
  readonly accentColor: string
  readonly connectRedirects: string
}

type Settings = Pick<
  Workspace,
  "name" | "timezone" | "logoUrl" | "accentColor" | "connectRedirects" | "deletionProtection"
>

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

export const formFromWorkspace = (workspace: Settings): SettingsForm => ({
  name: workspace.name,
  timezone: workspace.timezone,
  logoUrl: workspace.logoUrl ?? "",
  accentColor: workspace.accentColor ?? "",
  connectRedirects: workspace.connectRedirects.join("\n")
})

/** The fields that the form changes: null clears one. */
export const settingsChanges = (
  workspace: Settings,
  form: SettingsForm,
  deletionProtection: boolean
): UpdateWorkspace => {
  const after = {
    name: form.name.trim(),
    timezone: form.timezone.trim(),
    logoUrl: form.logoUrl.trim() || null,
    accentColor: form.accentColor.trim() || null,
    connectRedirects: lines(form.connectRedirects),
    deletionProtection
  }
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(workspace[name as keyof Settings])
  )
  return Object.fromEntries(changed)
}
