import type { Language } from "@edp/domain/shared/Language"

/** The messages of the sign-in page. */
export interface Messages {
  readonly title: string
  readonly intro: string
  readonly accounts: string
  readonly other: string
  readonly otherHelp: string
  readonly town: string
  readonly approve: string
  readonly deny: string
  readonly fail: string
  readonly asks: string
  readonly badRequest: string
  readonly unknownAccount: string
}

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    title: "Simulated manufacturer",
    intro: "This manufacturer is simulated. Its accounts need no password: choose one, and what its owner decides.",
    accounts: "Account",
    other: "Another account",
    otherHelp: "The id of an account that is not listed",
    town: "A home of the town",
    approve: "Allow access",
    deny: "Do not allow access",
    fail: "Let the sign-in fail",
    asks: "A platform asks to read and to control the devices of an account.",
    badRequest: "This sign-in request is not valid",
    unknownAccount: "Choose an account that exists"
  },
  es: {
    title: "Fabricante simulado",
    intro: "Este fabricante es simulado. Sus cuentas no necesitan contraseña: elija una y lo que decide su titular.",
    accounts: "Cuenta",
    other: "Otra cuenta",
    otherHelp: "El identificador de una cuenta que no está en la lista",
    town: "Una casa del pueblo",
    approve: "Permitir el acceso",
    deny: "No permitir el acceso",
    fail: "Hacer fallar el inicio de sesión",
    asks: "Una plataforma pide leer y controlar los dispositivos de una cuenta.",
    badRequest: "Esta solicitud de inicio de sesión no es válida",
    unknownAccount: "Elija una cuenta que exista"
  },
  de: {
    title: "Simulierter Hersteller",
    intro:
      "Dieser Hersteller ist simuliert. Seine Konten brauchen kein Passwort: Wählen Sie eines und was sein Inhaber entscheidet.",
    accounts: "Konto",
    other: "Anderes Konto",
    otherHelp: "Die ID eines Kontos, das nicht aufgelistet ist",
    town: "Ein Haus der Stadt",
    approve: "Zugriff erlauben",
    deny: "Zugriff nicht erlauben",
    fail: "Anmeldung fehlschlagen lassen",
    asks: "Eine Plattform bittet darum, die Geräte eines Kontos lesen und steuern zu dürfen.",
    badRequest: "Diese Anmeldeanfrage ist ungültig",
    unknownAccount: "Wählen Sie ein Konto, das es gibt"
  }
}

/** The language of a page: asked for by the client, else the browser's first that there is. */
export const chooseLanguage = (asked: string | undefined, accepted: string | undefined): Language => {
  const wishes = [...(asked ?? "").split(" "), ...(accepted ?? "").split(",")].map((wish) => wish.trim().slice(0, 2))
  const isKnown = (wish: string): wish is Language => wish in messages
  return wishes.map((wish) => wish.toLowerCase()).find(isKnown) ?? "en"
}
