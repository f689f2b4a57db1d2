import type { InterventionCode } from "@edp/domain/devices/Intervention"
import type { ErrorCode } from "@edp/domain/errors/ErrorCode"
import { defineMessages } from "../i18n/language.ts"

interface Obstacle {
  readonly title: string
  readonly step: string
}

/** General texts for what the service itself says in English, by its codes. Alerts are those that the service raises, by their title. */
export const serviceMessages = defineMessages({
  en: {
    errors: {
      UNAUTHENTICATED: "The key or the session is not valid",
      FORBIDDEN: "This is not allowed",
      DEVICE_MODEL_MANUFACTURER_MISMATCH: "The model belongs to another manufacturer",
      DEVICE_NOT_OEM_DIRECT: "The device is not directly integrated",
      MANUFACTURER_NOT_ALLOWED: "The key does not cover this manufacturer",
      VALIDATION_ERROR: "The request is not valid",
      INVALID_LOCATION: "The address was not found",
      INVALID_STATE: "The present state does not allow this",
      INVALID_STATUS: "The present status does not allow this",
      INVALID_CRITERIA: "The criteria are not valid",
      CUSTOMER_NOT_CONNECTED_TO_SITE: "The customer is not linked to the site",
      DELETION_PROTECTION_ENABLED: "Deletion protection is on",
      SITE_ALREADY_EXISTS: "The site exists already",
      DUPLICATE_NAME: "The name is already in use",
      DEVICE_MODEL_NOT_FOUND: "Device model not found",
      NOT_FOUND: "Record not found",
      CUSTOMER_NOT_FOUND: "Customer not found",
      DEVICE_NOT_FOUND: "Device not found",
      SITE_NOT_FOUND: "Site not found",
      APIKEY_NOT_FOUND: "API key not found",
      WORKSPACE_NOT_FOUND: "Workspace not found",
      SCHEDULE_NOT_FOUND: "Schedule not found",
      COLLECTION_NOT_FOUND: "Collection not found",
      SITE_NOT_IN_WORKSPACE: "The site is not in this workspace",
      DEVICE_NOT_ASSOCIATED: "The device is not at this site",
      DUPLICATE_CONNECTION: "The account or a device is already connected",
      PARAMETER_MISMATCH: "The request differs from an earlier one with the same key",
      RATE_LIMITED: "Too many requests",
      UNKNOWN_ERROR: "Unexpected error",
      LOCATION_SERVICE_ERROR: "The address could not be looked up",
      SERVICE_UNAVAILABLE: "A service that is needed does not respond"
    } satisfies Record<ErrorCode, string>,
    alerts: { "Device is offline": "Device is offline" },
    interventions: {
      key_not_paired: {
        title: "The device does not accept commands yet",
        step: "Approve the key of this platform in the manufacturer's app."
      },
      scope_missing: {
        title: "A permission is missing",
        step: "Sign in at the manufacturer again and allow all requested permissions."
      },
      plan_required: {
        title: "A subscription is needed",
        step: "Book the plan that includes this function in the manufacturer's app."
      },
      terms_not_accepted: {
        title: "New terms have to be accepted",
        step: "Open the manufacturer's app and accept its terms."
      },
      storm_mode: {
        title: "The device is preparing for a storm",
        step: "Wait until the storm warning ends, or turn storm mode off in the manufacturer's app."
      },
      local_access_disabled: {
        title: "Local access is turned off",
        step: "Turn on local access in the settings of the device."
      },
      sign_in_again: { title: "A new sign-in is needed", step: "Connect the account once more by a new link." }
    } satisfies Record<InterventionCode, Obstacle>
  },
  es: {
    errors: {
      UNAUTHENTICATED: "La clave o la sesión no es válida",
      FORBIDDEN: "No está permitido",
      DEVICE_MODEL_MANUFACTURER_MISMATCH: "El modelo es de otro fabricante",
      DEVICE_NOT_OEM_DIRECT: "El dispositivo no está integrado directamente",
      MANUFACTURER_NOT_ALLOWED: "La clave no incluye este fabricante",
      VALIDATION_ERROR: "La solicitud no es válida",
      INVALID_LOCATION: "No se encontró la dirección",
      INVALID_STATE: "El estado actual no lo permite",
      INVALID_STATUS: "El estado actual no lo permite",
      INVALID_CRITERIA: "Los criterios no son válidos",
      CUSTOMER_NOT_CONNECTED_TO_SITE: "El cliente no está asociado a la instalación",
      DELETION_PROTECTION_ENABLED: "La protección contra el borrado está activada",
      SITE_ALREADY_EXISTS: "La instalación ya existe",
      DUPLICATE_NAME: "El nombre ya está en uso",
      DEVICE_MODEL_NOT_FOUND: "No se encontró el modelo de dispositivo",
      NOT_FOUND: "No se encontró el registro",
      CUSTOMER_NOT_FOUND: "No se encontró el cliente",
      DEVICE_NOT_FOUND: "No se encontró el dispositivo",
      SITE_NOT_FOUND: "No se encontró la instalación",
      APIKEY_NOT_FOUND: "No se encontró la clave de API",
      WORKSPACE_NOT_FOUND: "No se encontró el espacio de trabajo",
      SCHEDULE_NOT_FOUND: "No se encontró la programación",
      COLLECTION_NOT_FOUND: "No se encontró la colección",
      SITE_NOT_IN_WORKSPACE: "La instalación no está en este espacio de trabajo",
      DEVICE_NOT_ASSOCIATED: "El dispositivo no está en esta instalación",
      DUPLICATE_CONNECTION: "La cuenta o un dispositivo ya está conectado",
      PARAMETER_MISMATCH: "La solicitud difiere de otra anterior con la misma clave",
      RATE_LIMITED: "Demasiadas solicitudes",
      UNKNOWN_ERROR: "Error inesperado",
      LOCATION_SERVICE_ERROR: "No se pudo consultar la dirección",
      SERVICE_UNAVAILABLE: "Un servicio necesario no responde"
    },
    alerts: { "Device is offline": "El dispositivo está sin conexión" },
    interventions: {
      key_not_paired: {
        title: "El dispositivo aún no acepta órdenes",
        step: "Apruebe la clave de esta plataforma en la aplicación del fabricante."
      },
      scope_missing: {
        title: "Falta un permiso",
        step: "Inicie sesión de nuevo en el fabricante y conceda todos los permisos solicitados."
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
        title: "El dispositivo se prepara para una tormenta",
        step: "Espere a que termine el aviso de tormenta o desactive el modo tormenta en la aplicación del fabricante."
      },
      local_access_disabled: {
        title: "El acceso local está desactivado",
        step: "Active el acceso local en los ajustes del dispositivo."
      },
      sign_in_again: {
        title: "Hace falta iniciar sesión de nuevo",
        step: "Conecte la cuenta otra vez con un enlace nuevo."
      }
    }
  }
})
