package replay

import (
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1beta1 "k8s.io/api/rbac/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// column is one of a kind's table, as the API server prints it.
type column struct {
	metav1.TableColumnDefinition
	cell func(o object, now time.Time) any
}

// minorWithoutSecrets is the first minor version whose table of ServiceAccounts does not count secrets.
const minorWithoutSecrets = 35

func leaseColumns(int) []column {
	return []column{nameColumn(), textColumn("Holder", coordinationv1.LeaseSpec{}.SwaggerDoc()["holderIdentity"], func(l *coordinationv1.Lease) any {
		if l.Spec.HolderIdentity == nil {
			return ""
		}
		return *l.Spec.HolderIdentity
	}), ageColumn()}
}

func namespaceColumns(int) []column {
	return []column{nameColumn(), textColumn("Status", "The status of the namespace", func(n *corev1.Namespace) any {
		return string(n.Status.Phase)
	}), ageColumn()}
}

func configMapColumns(int) []column {
	return []column{nameColumn(), textColumn("Data", corev1.ConfigMap{}.SwaggerDoc()["data"], func(c *corev1.ConfigMap) any {
		return len(c.Data) + len(c.BinaryData)
	}), ageColumn()}
}

func serviceAccountColumns(minor int) []column {
	if minor >= minorWithoutSecrets {
		return []column{nameColumn(), ageColumn()}
	}
	return []column{nameColumn(), textColumn("Secrets", corev1.ServiceAccount{}.SwaggerDoc()["secrets"], func(s *corev1.ServiceAccount) any {
		return len(s.Secrets)
	}), ageColumn()}
}

func roleBindingColumns(int) []column {
	columns := []column{nameColumn(), textColumn("Role", rbacv1beta1.RoleBinding{}.SwaggerDoc()["roleRef"], func(b *rbacv1.RoleBinding) any {
		return b.RoleRef.Kind + "/" + b.RoleRef.Name
	}), ageColumn()}
	for _, subjects := range []struct{ kind, plural string }{
		{rbacv1.UserKind, "Users"}, {rbacv1.GroupKind, "Groups"}, {rbacv1.ServiceAccountKind, "ServiceAccounts"},
	} {
		wide := textColumn(subjects.plural, subjects.plural+" in the roleBinding", func(b *rbacv1.RoleBinding) any {
			return subjectsOf(b, subjects.kind)
		})
		wide.Priority = 1
		columns = append(columns, wide)
	}
	return columns
}

func subjectsOf(binding *rbacv1.RoleBinding, kind string) string {
	var names []string
	for _, subject := range binding.Subjects {
		switch {
		case subject.Kind != kind:
		case kind == rbacv1.ServiceAccountKind:
			names = append(names, fmt.Sprintf("%s/%s", subject.Namespace, subject.Name))
		default:
			names = append(names, subject.Name)
		}
	}
	return strings.Join(names, ", ")
}

// plainColumns are those of a kind for which the API server has no printer.
func plainColumns(int) []column {
	created := column{metav1.TableColumnDefinition{Name: "Created At", Type: "date", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]},
		func(o object, _ time.Time) any { return o.GetCreationTimestamp().UTC().Format(time.RFC3339) }}
	return []column{nameColumn(), created}
}

func nameColumn() column {
	return column{metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name", Description: metav1.ObjectMeta{}.SwaggerDoc()["name"]},
		func(o object, _ time.Time) any { return o.GetName() }}
}

func ageColumn() column {
	return column{metav1.TableColumnDefinition{Name: "Age", Type: "string", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]},
		func(o object, now time.Time) any {
			created := o.GetCreationTimestamp()
			if created.IsZero() {
				return "<unknown>"
			}
			return duration.HumanDuration(now.Sub(created.Time))
		}}
}

func textColumn[T object](name, description string, cell func(T) any) column {
	return column{metav1.TableColumnDefinition{Name: name, Type: "string", Description: description},
		func(o object, _ time.Time) any {
			typed, ok := o.(T)
			if !ok {
				return ""
			}
			return cell(typed)
		}}
}
