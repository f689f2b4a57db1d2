import type {
  CreateHomeAssistantPublication,
  HomeAssistantPublication
} from "@edp/domain/home-assistant/HomeAssistantPublication"

/** The fields of the form of a publication. */
export interface PublicationForm {
  readonly host: string
  /** Empty for the usual one. */
  readonly port: string
  readonly tls: boolean
  readonly fingerprint: string
  readonly username: string
  /** Empty for a stored publication: its password stays. */
  readonly password: string
  readonly discoveryPrefix: string
  /** Empty for all devices. */
  readonly tag: string
  readonly takesCommands: boolean
}

export const emptyPublication: PublicationForm = {
  host: "",
  port: "",
  tls: false,
  fingerprint: "",
  username: "",
  password: "",
  discoveryPrefix: "",
  tag: "",
  takesCommands: false
}

export const publicationFormFrom = (stored: HomeAssistantPublication): PublicationForm => ({
  host: stored.host,
  port: String(stored.port),
  tls: stored.tls,
  fingerprint: stored.fingerprint ?? "",
  username: stored.username ?? "",
  password: "",
  discoveryPrefix: stored.discoveryPrefix,
  tag: stored.tag ?? "",
  takesCommands: stored.takesCommands
})

const orNull = (text: string) => (text.trim() === "" ? null : text.trim())

/** The request of a form. An empty password is left out where the login stays; without a user there is none. */
export const toPublication = (form: PublicationForm): CreateHomeAssistantPublication => {
  const username = orNull(form.username)
  return {
    host: form.host.trim(),
    ...(form.port.trim() !== "" && { port: Number(form.port) }),
    tls: form.tls,
    fingerprint: form.tls ? orNull(form.fingerprint) : null,
    username,
    ...(username === null ? { password: null } : form.password !== "" && { password: form.password }),
    ...(form.discoveryPrefix.trim() !== "" && { discoveryPrefix: form.discoveryPrefix.trim() }),
    tag: orNull(form.tag),
    takesCommands: form.takesCommands
  }
}
