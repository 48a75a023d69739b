// bind/module.cpp: the module rosewood._core and how its errors reach Python.
#include <cerrno>

#include "bind.hpp"
#include "util/file.hpp"

namespace {

/// Raises rosewood.errors.<name> with the kernel's reason, code, argument and value.
void raise(const char* name, const rosewood::Error& error) {
  const nb::object kind = nb::module_::import_("rosewood.errors").attr(name);
  const auto& [code, argument, value] = error.fault;
  const nb::object raised =
      kind(error.what(), "code"_a = code.text,
           "argument"_a = *argument ? nb::object(nb::str(argument)) : nb::none(),
           "value"_a = value ? nb::object(nb::int_(*value)) : nb::none());
  PyErr_SetObject(kind.ptr(), raised.ptr());
}

}  // namespace

NB_MODULE(_core, m) {
  // Forests that live until the interpreter ends are no reason to alarm a user.
  nb::set_leak_warnings(false);
  m.doc() = "Native kernels of Rosewood; the package's own modules are the interface.";
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const rosewood::EmptyForestError& e) {
      raise("EmptyForestError", e);
    } catch (const rosewood::CycleError& e) {
      raise("CycleError", e);
    } catch (const rosewood::ForestError& e) {
      raise("ForestError", e);
    } catch (const rosewood::MetricError& e) {
      raise("MetricError", e);
    } catch (const rosewood::CorpusError& e) {
      raise("CorpusError", e);
    } catch (const rosewood::AlignmentError& e) {
      raise("AlignmentError", e);
    } catch (const rosewood::LanguageModelError& e) {
      raise("LanguageModelError", e);
    } catch (const rosewood::RuleError& e) {
      raise("RuleError", e);
    } catch (const rosewood::ReorderingError& e) {
      raise("ReorderingError", e);
    } catch (const rosewood::FileError& e) {
      errno = e.code;
      PyErr_SetFromErrnoWithFilename(PyExc_OSError, e.path.c_str());
    } catch (const rosewood::DecodingError& e) {
      raise("DecodingError", e);
    } catch (const rosewood::TuningError& e) {
      raise("TuningError", e);
    }
  });
  rosewood::bind::bind_align(m);
  rosewood::bind::bind_boosting(m);
  rosewood::bind::bind_clusters(m);
  rosewood::bind::bind_corpus(m);
  rosewood::bind::bind_large_features(m);
  rosewood::bind::bind_decode(m);
  rosewood::bind::bind_event_features(m);
  rosewood::bind::bind_forest(m);
  rosewood::bind::bind_forest_writer(m);
  rosewood::bind::bind_learn(m);
  rosewood::bind::bind_ngrams(m);
  rosewood::bind::bind_arpa(m);
  rosewood::bind::bind_links(m);
  rosewood::bind::bind_lm(m);
  rosewood::bind::bind_memory(m);
  rosewood::bind::bind_metrics(m);
  rosewood::bind::bind_oscar(m);
  rosewood::bind::bind_reorder(m);
  rosewood::bind::bind_rules(m);
  rosewood::bind::bind_rule_table(m);
  rosewood::bind::bind_rule_sentence(m);
  rosewood::bind::bind_rule_text(m);
  rosewood::bind::bind_search(m);
  rosewood::bind::bind_transform(m);
}
