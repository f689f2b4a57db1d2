import { defineMessages } from "../i18n/language.ts"

/** Texts for whoever is not signed in, or has to be again: loaded when they are needed. */
export const signInMessages = defineMessages({
  en: {
    signInTitle: "Sign in",
    signInLead: "The dashboard is for operators. It needs a MANAGEMENT key or a one-time link.",
    key: "MANAGEMENT key",
    keyHint: "Begins with mgmt_. It is used once, to start a session, and is not kept in the browser.",
    signIn: "Sign in",
    orLink: "Or print a one-time link on the machine of the service:",
    command: "The command that prints a link",
    linkUsed: "This link was used or has expired. Links work once and for 10 minutes. Print a new one, or use a key.",
    wrongKey: "This is not an active MANAGEMENT key.",
    endedTitle: "Your session has ended",
    endedLead: "It has expired or was revoked. Sign in to continue where you were.",
    againTitle: "Sign in again",
    againLead:
      "To change keys, links and sessions, or to see secrets, sign in again. The sign-in counts for 10 minutes.",
    leave: "Leave the page",
    goneTitle: "This workspace has been deleted",
    goneLead: "The records on this page no longer exist. Choose another workspace.",
    goneAction: "Open the workspace",
    workspaceMissing: "This organization has no workspace."
  },
  es: {
    signInTitle: "Iniciar sesión",
    signInLead: "El panel es para operadores. Necesita una clave MANAGEMENT o un enlace de un solo uso.",
    key: "Clave MANAGEMENT",
    keyHint: "Empieza por mgmt_. Se usa una vez, para iniciar la sesión, y no se guarda en el navegador.",
    signIn: "Iniciar sesión",
    orLink: "O imprima un enlace de un solo uso en la máquina del servicio:",
    command: "La orden que imprime un enlace",
    linkUsed:
      "Este enlace ya se usó o ha caducado. Un enlace sirve una vez y durante 10 minutos. Imprima otro o use una clave.",
    wrongKey: "No es una clave MANAGEMENT activa.",
    endedTitle: "Su sesión ha terminado",
    endedLead: "Ha caducado o fue revocada. Inicie sesión para seguir donde estaba.",
    againTitle: "Inicie sesión de nuevo",
    againLead:
      "Crear, cambiar y terminar claves, enlaces y sesiones, y ver secretos, exige haber iniciado sesión en los últimos 10 minutos.",
    leave: "Salir de la página",
    goneTitle: "Este espacio de trabajo se ha eliminado",
    goneLead: "Lo que la página muestra de él ya no existe. Elija otro espacio de trabajo para continuar.",
    goneAction: "Abrir el espacio",
    workspaceMissing: "Esta organización no tiene ningún espacio de trabajo."
  }
})
