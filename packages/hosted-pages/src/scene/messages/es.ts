import type { CommonMessages } from "./en.ts"

/** Messages that all hosted pages share, in Spanish. */
export const es: CommonMessages = {
  unknownAsker: "el servicio que le envió aquí",
  documentTitle: (heading, asker) => (asker === null ? heading : `${heading} – ${asker}`),
  errorTitlePrefix: "Error: ",
  progress: (step, of) => `Paso ${step} de ${of}`,
  optional: "(opcional)",
  language: "Idioma",
  questions: "¿Preguntas?",
  continue: "Continuar",
  problemsTitle: "Revise sus respuestas",
  choose: "Elija",
  person: {
    legend: "Sobre usted",
    fields: {
      firstName: "Nombre",
      lastName: "Apellidos",
      email: "Correo electrónico",
      phone: "Número de teléfono"
    }
  },
  address: {
    legend: "Dirección de los equipos",
    fields: {
      streetOne: "Calle y número",
      streetTwo: "Piso, puerta o apartamento",
      city: "Ciudad",
      state: "Estado o provincia",
      postalCode: "Código postal",
      country: "País"
    }
  },
  leaving: {
    title: "Un momento",
    lead: (host) => `Le estamos llevando a ${host}.`,
    goOn: "Continuar",
    check: "¿Ya inició sesión? Mostrar lo que sigue"
  },
  refusedForm: {
    title: "No hemos podido leer el formulario",
    happened: "Lo que envió su navegador estaba incompleto o era demasiado largo.",
    wayOn: "Vuelva a la página y envíelo de nuevo.",
    goOn: "Volver a la página"
  },
  failure: {
    title: "Algo ha salido mal",
    happened: "Un error por nuestra parte nos ha impedido mostrar esta página.",
    wayOn: (asker) => `Si se repite, avise a ${asker}.`,
    retry: "Intentar de nuevo"
  },
  problems: {
    required: (label) => `${label}: complete este campo`,
    too_long: (label) => `${label}: es demasiado largo`,
    invalid_email: (label) => `${label}: escriba una dirección como nombre@example.com`,
    invalid_phone: (label) => `${label}: escriba un número como +34 600 000 000`,
    invalid_address: (label) => `${label}: no encontramos esta dirección`,
    invalid_choice: (label) => `${label}: elija una de las opciones`,
    invalid_number: (label) => `${label}: escriba un número entero dentro del rango permitido`,
    invalid_host: (label) => `${label}: escriba un nombre o una dirección de su red, como 192.168.1.20`,
    select_one: (label) => `${label}: seleccione al menos uno`
  },
  deviceTypes: {
    battery: "Batería",
    charger: "Cargador de vehículo",
    inverter: "Inversor solar",
    meter: "Medidor de energía",
    thermostat: "Termostato",
    vehicle: "Vehículo eléctrico",
    water_heater: "Calentador de agua",
    other: "Otro equipo",
    unknown: "Equipo"
  },
  interventions: {
    key_not_paired: {
      title: "El equipo aún no acepta órdenes",
      step: "Apruebe la clave de este servicio en la aplicación del fabricante."
    },
    scope_missing: {
      title: "Falta un permiso",
      step: "Inicie sesión de nuevo en la página del fabricante y conceda todos los permisos solicitados."
    },
    plan_required: {
      title: "Se necesita una suscripción",
      step: "Contrate en la aplicación del fabricante el plan que incluye esta función."
    },
    terms_not_accepted: {
      title: "Hay condiciones nuevas por aceptar",
      step: "Abra la aplicación del fabricante y acepte sus condiciones."
    },
    storm_mode: {
      title: "El equipo se prepara para una tormenta",
      step: "Espere a que termine el aviso de tormenta, o desactive el modo tormenta en la aplicación del fabricante."
    },
    local_access_disabled: {
      title: "El acceso local está desactivado",
      step: "Active el acceso local en los ajustes del equipo."
    },
    sign_in_again: {
      title: "Debe iniciar sesión de nuevo",
      step: "Conecte la cuenta otra vez con un enlace nuevo."
    }
  },
  actors: {
    owner: "Para usted",
    installer: "Para su instalador",
    operator: "Para el operador de este servicio",
    manufacturer: "Para el fabricante"
  }
}
