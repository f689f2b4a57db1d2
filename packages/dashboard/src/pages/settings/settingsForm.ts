import type { DistanceUnit, TemperatureUnit } from "@edp/domain/workspaces/displayUnits"
import type { UpdateWorkspace, Workspace } from "@edp/domain/workspaces/Workspace"

/** The texts of the form; targets of redirects are one in each line. */
export interface SettingsForm {
  readonly name: string
  readonly timezone: string
  readonly logoUrl: string
  readonly accentColor: string
  readonly contactEmail: string
  readonly contactPhone: string
  readonly contactUrl: string
  readonly connectRedirects: string
}

type Settings = Pick<
  Workspace,
  | "name"
  | "timezone"
  | "logoUrl"
  | "accentColor"
  | "contactEmail"
  | "contactPhone"
  | "contactUrl"
  | "temperatureUnit"
  | "distanceUnit"
  | "connectRedirects"
  | "deletionProtection"
>

/** The choices beside the texts. */
export interface SettingsChoices {
  readonly deletionProtection: boolean
  readonly temperatureUnit: TemperatureUnit
  readonly distanceUnit: DistanceUnit
}

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
  contactEmail: workspace.contactEmail ?? "",
  contactPhone: workspace.contactPhone ?? "",
  contactUrl: workspace.contactUrl ?? "",
  connectRedirects: workspace.connectRedirects.join("\n")
})

/** The fields that the form changes: null clears one. */
export const settingsChanges = (workspace: Settings, form: SettingsForm, choices: SettingsChoices): UpdateWorkspace => {
  const after = {
    name: form.name.trim(),
    timezone: form.timezone.trim(),
    logoUrl: form.logoUrl.trim() || null,
    accentColor: form.accentColor.trim() || null,
    contactEmail: form.contactEmail.trim() || null,
    contactPhone: form.contactPhone.trim() || null,
    contactUrl: form.contactUrl.trim() || null,
    connectRedirects: lines(form.connectRedirects),
    ...choices
  }
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(workspace[name as keyof Settings])
  )
  return Object.fromEntries(changed)
}
