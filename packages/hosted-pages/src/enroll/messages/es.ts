import { commonMessages } from "../../scene/messages/messages.ts"
import type { Messages } from "./en.ts"

/** All messages of the enrollment pages in Spanish. */
export const es: Messages = {
  ...commonMessages.es,

  program: {
    who: "Quién puede participar",
    states: (states) => `Hogares en ${states}`,
    everywhere: "Hogares en todos los estados",
    dates: "Fechas",
    deadline: "Inscríbase antes del",
    activatesAt: "Participa a partir del",
    atOnce: "Puede inscribirse en cualquier momento.",
    needs: "Qué necesita",
    needed: {
      details: "su nombre, su correo electrónico y la dirección de su hogar",
      signIn: "los datos de acceso a la aplicación de su equipo"
    },
    start: "Inscribirse ahora",
    begun: "Empezó a inscribirse en este navegador.",
    goOn: "Continuar con su inscripción"
  },
  apply: {
    title: "Usted y su hogar",
    lead: (asker) => `${asker} necesita estos datos para inscribirle.`,
    home: "Su hogar",
    terms: "Condiciones del programa",
    accept: "He leído las condiciones y las acepto",
    acceptProblem: "Acepte las condiciones para inscribirse",
    send: "Continuar",
    failures: {
      not_from_page:
        "No hemos podido comprobar que este formulario venía de nuestra página. Permita las cookies en esta página y envíelo de nuevo.",
      terms_changed: "Las condiciones han cambiado. Léalas de nuevo antes de aceptarlas.",
      too_many: "Han llegado demasiadas inscripciones desde su red. Espere un minuto y envíe de nuevo el formulario.",
      location_service:
        "En este momento no podemos consultar su dirección. Envíe de nuevo el formulario en unos minutos."
    },
    failed: "Aún no hemos podido inscribirle"
  },
  closed: {
    inactive: {
      title: "No hay inscripciones en este momento",
      happened: () => "Por ahora este programa no admite inscripciones."
    },
    program_inactive: {
      title: "No hay inscripciones en este momento",
      happened: () => "Por ahora el programa no admite inscripciones."
    },
    archived: { title: "Este programa ha terminado", happened: () => "Ya no admite inscripciones." },
    not_begun: {
      title: "Este programa aún no ha empezado",
      happened: (date) => (date === null ? "Aún no admite inscripciones." : `Podrá inscribirse a partir del ${date}.`)
    },
    ended: { title: "Este programa ha terminado", happened: () => "Ya no admite inscripciones." },
    deadline_passed: {
      title: "El plazo ha terminado",
      happened: (date) =>
        date === null ? "Ya no admite inscripciones." : `Se admitieron inscripciones hasta el ${date}.`
    }
  },
  closedWayOn: (asker) => `Pregunte a ${asker} por otros programas.`,
  ineligible: {
    title: "No puede participar",
    lead: (title) => `Gracias por su interés en ${title}. No está abierto para su hogar.`,
    reasons: "Por qué",
    state: (state, states) => `Su hogar está en ${state}. El programa admite hogares en ${states}.`,
    devices: "Los equipos conectados en su hogar no cumplen los requisitos del programa.",
    conditions: "Requisitos del programa",
    wayOn: (asker) => `Si cree que es un error, pregunte a ${asker}.`
  },
  status: {
    connectTitle: "Falta un paso: conecte su equipo",
    connectNext: "Siguiente paso: conecte su equipo",
    connectLead: (title) => `Ya tenemos sus datos para ${title}. Ahora conecte el equipo que participará.`,
    waitingTitle: "Gracias, hemos recibido su inscripción",
    waitingLead: (asker) => `${asker} decidirá sobre su inscripción.`,
    nothing: "Hasta entonces no tiene que hacer nada.",
    checkingTitle: "Gracias, su equipo está conectado",
    checkingLead: "Comprobaremos si cumple los requisitos del programa en cuanto envíe datos.",
    approvedTitle: "Ya participa",
    approvedLead: (title) => `Su inscripción en ${title} está aprobada.`,
    rejectedTitle: "Su inscripción no se ha aceptado",
    rejectedLead: (asker) => `${asker} no la ha aceptado. Pregunte allí si tiene dudas.`,
    unenrolledTitle: "Su inscripción ha terminado",
    unenrolledLead: (title) => `Ya no participa en ${title}.`,
    reason: (reason) => `Motivo: ${reason}`,
    activatesAt: "Participa a partir del",
    steps: "Qué falta por hacer",
    noSteps: "Pasos",
    done: "Hecho",
    open: "Pendiente",
    connect: "Conectar un equipo",
    connectAnother: "Conectar otro equipo",
    duplicate: (asker) =>
      `Su equipo ya está conectado con ${asker} mediante otra inscripción o cuenta. Pida a ${asker} que lo añada al programa.`,
    keep: "Puede volver a esta página: guarde su dirección o ábrala de nuevo en este navegador. No la comparta.",
    confirmEmail: (email) =>
      `Abra el enlace del correo electrónico que enviamos a ${email}. Si no lo encuentra en unos minutos, mire en el correo no deseado.`,
    sendAgain: "Enviar de nuevo el correo electrónico",
    actions: {
      details: "Díganos quién es y dónde está su hogar",
      confirm_email: "Confirmar su correo electrónico",
      terms: "Aceptar las condiciones",
      connect_device: "Conectar un equipo en su hogar",
      approve: "Aprobar la inscripción"
    }
  },
  confirm: {
    openTitle: "Confirme su correo electrónico",
    openLead: (title) => `Usted, o alguien que dio su correo electrónico, quiere participar en ${title}.`,
    button: "Confirmar",
    ignore: "Si no fue usted, cierre esta página. En ese caso no pasa nada.",
    confirmedTitle: "Su correo electrónico está confirmado",
    confirmedLead:
      "Gracias. Puede cerrar esta página o continuar con su inscripción en el navegador en el que la empezó.",
    alreadyTitle: "Ya participa",
    alreadyLead: (title) =>
      `Este correo electrónico ya participa en ${title} con una inscripción anterior. No tiene que hacer nada.`,
    goOn: "Continuar con su inscripción",
    expiredTitle: "Este enlace ha caducado",
    expiredLead: "Abra su inscripción en el navegador en el que la empezó y pida que se envíe de nuevo el correo.",
    usedTitle: "Este enlace ya no funciona",
    usedLead:
      "Funciona una sola vez, y el enlace de un correo más reciente lo sustituye. Si ya confirmó su dirección, todo está bien."
  },
  mails: {
    confirm: {
      subject: (title) => `Confirme su correo electrónico para ${title}`,
      lead: (title, asker) =>
        `Alguien dio este correo electrónico para inscribirse en ${title} de ${asker}. Confirme que fue usted.`,
      action: "Confirmar su correo electrónico",
      works: (days) => `El enlace funciona una sola vez, durante ${days} días.`,
      ignore: "Si no fue usted, ignore este correo: sin la confirmación, la dirección no cuenta."
    },
    takesPart: {
      subject: (title) => `Ya participa en ${title}`,
      lead: (title, asker) =>
        `Alguien dio este correo electrónico para inscribirse en ${title} de ${asker}. Ya participa, así que no ha cambiado nada.`,
      nothing: (asker) => `No tiene que hacer nada. Si quería cambiar algo, pregunte a ${asker}.`
    }
  },
  returned: {
    title: "Bienvenido de nuevo",
    lead: "Puede cerrar esta página o abrir el enlace de su inscripción para ver qué falta por hacer."
  },
  expired: {
    title: "Este enlace ha caducado",
    lead: "El enlace de una inscripción funciona durante 90 días.",
    wayOn: (asker) => `Pregunte a ${asker} cómo va su inscripción.`
  },
  unknown: {
    title: "Esta página no existe",
    lead: "La dirección está incompleta o el programa se ha eliminado.",
    wayOn: "Abra de nuevo el enlace que le dieron o pida uno nuevo."
  }
}
